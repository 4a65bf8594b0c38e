/** A scripted receiver of webhooks on loopback, and a check of signatures that shares no code with the service. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary bodies
  readonly json: any;
}

/** Answers one request. Without an answer, the request stays open. */
export type Reply = (response: ServerResponse, request: ReceivedRequest) => void;

export const status =
  (code: number, headers: Record<string, string> = {}, body = ""): Reply =>
  (response) => {
    response.writeHead(code, headers).end(body);
  };

/** Reads the request, then breaks the connection. */
export const breakOff: Reply = (response) => void response.destroy();

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly requests: ReceivedRequest[];
  /** The largest number of requests that were open at the same time. */
  readonly maxOpen: number;
  /** How requests are answered, in order. The last one answers all further requests. */
  reply(...replies: Reply[]): void;
  /** Resolves when this many requests have arrived. */
  waitFor(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a receiver that accepts everything, on a port (default: any). */
export async function startReceiver(port = 0): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let replies: Reply[] = [status(204)];
  let open = 0;
  let maxOpen = 0;
  const server: Server = createServer((incoming, response) => {
    open += 1;
    maxOpen = Math.max(maxOpen, open);
    response.on("close", () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const request = {
        path: incoming.url ?? "",
        headers: incoming.headers,
        body,
        json: body === "" ? null : JSON.parse(body),
      };
      requests.push(request);
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      reply?.(response, request);
      for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${actual}/hook`,
    port: actual,
    requests,
    get maxOpen() {
      return maxOpen;
    },
    reply: (...next) => {
      replies = next;
    },
    waitFor: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Verifies a signature with WebCrypto, as the specification of Standard Webhooks describes it. */
export async function isSigned({ headers, body }: ReceivedRequest, secret: string): Promise<boolean> {
  const bytes = Uint8Array.from(atob(secret.replace("whsec_", "")), (char) => char.charCodeAt(0));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
  const content = new TextEncoder().encode(
    `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`,
  );
  const [version, signature = ""] = String(headers["webhook-signature"]).split(",");
  const given = Uint8Array.from(atob(signature), (char) => char.charCodeAt(0));
  return version === "v1" && (await crypto.subtle.verify("HMAC", key, given, content));
}
