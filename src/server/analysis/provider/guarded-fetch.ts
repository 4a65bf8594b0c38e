/** A fetch that checks every address it connects to, also after a redirect, and reads no more than it must. */
import { Agent, fetch as send } from "undici";
import { guardedLookup, RefusedAddress, requireAllowed } from "./addresses.ts";

const MAX_REDIRECTS = 3;
/** The largest answer that is read, bytes: a thousand embeddings of 3072 numbers as text are 60 MB at most. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** A fetch of its own connections; `close` drops them. */
export function guardedFetch(): { fetch: typeof fetch; close(): Promise<void> } {
  const agent = new Agent({ connect: { lookup: guardedLookup } });
  const follow = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    let url = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init.headers);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      requireAllowed(url);
      const answer = await send(url, {
        method: init.method ?? "GET",
        headers: [...headers],
        redirect: "manual",
        dispatcher: agent,
        signal: init.signal ?? null,
        ...(typeof init.body === "string" ? { body: init.body } : {}),
      });
      const location = answer.headers.get("location");
      if ((answer.status !== 307 && answer.status !== 308) || location === null) {
        return new Response(await readAll(answer.body), {
          status: answer.status,
          headers: [...answer.headers],
        });
      }
      await answer.body?.cancel();
      const next = new URL(location, url);
      // The key is for the host it was given for, and for no other.
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
    if (size > MAX_ANSWER_BYTES) throw new RangeError("The model's answer is too large");
    chunks.push(chunk as Uint8Array);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
