/** A fetch that checks every address it connects to, including after redirects, and limits the size of responses. */
import { Agent, fetch as send } from "undici";
import { guardedLookup, RefusedAddress, requireAllowed } from "../../../shared/allowed-addresses.ts";

const MAX_REDIRECTS = 3;
/** Maximum size of a response in bytes. A thousand embeddings of 3072 numbers are at most 60 MB as text. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Creates a fetch with its own connections. `close` closes them. */
export function guardedFetch(): { fetch: typeof fetch; close(): Promise<void> } {
  const agent = new Agent({ connect: { lookup: guardedLookup } });
  const follow = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    let url = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init.headers);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      requireAllowed(url, "model URL");
      const response = await send(url, {
        method: init.method ?? "GET",
        headers: [...headers],
        redirect: "manual",
        dispatcher: agent,
        signal: init.signal ?? null,
        ...(typeof init.body === "string" ? { body: init.body } : {}),
      });
      const location = response.headers.get("location");
      if ((response.status !== 307 && response.status !== 308) || location === null) {
        return new Response(await readAll(response.body), {
          status: response.status,
          headers: [...response.headers],
        });
      }
      await response.body?.cancel();
      const next = new URL(location, url);
      // The key must only go to the host that it was configured for.
      if (next.origin !== url.origin) headers.delete("authorization");
      url = next;
    }
    throw new RefusedAddress("Too many redirects");
  };
  return { fetch: follow as typeof fetch, close: () => agent.destroy() };
}

async function readAll(body: AsyncIterable<unknown> | null): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > MAX_RESPONSE_BYTES) throw new RangeError("The model's response is too large");
    chunks.push(chunk as Uint8Array);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
