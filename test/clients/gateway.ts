/** A service behind a gateway that can fail in every way that a client of a game has to survive. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { listen } from "../../src/server/http/listen.ts";
import { startTestService, type TestService } from "../harness.ts";

/** How the gateway answers a request. A status is answered without the service. */
export type Behavior =
  | "forward"
  /** Closes the connection before the request is forwarded. */
  | "down"
  /** Forwards the request, and closes the connection instead of answering. */
  | "lose-answer"
  /** Never answers. */
  | "hang"
  /** With `isCut`, the connection closes before the end of the body. */
  | Answer
  /** Decides by the body of the request. */
  | ((body: string) => "forward" | Answer);

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  isCut?: boolean;
}

export interface SentEvent {
  id: string;
  name: string;
  timestamp: number;
  data?: Record<string, unknown>;
}

export interface SeenRequest {
  path: string;
  headers: IncomingMessage["headers"];
  /** The size of the body after decompression. */
  bytes: number;
  /** Whether the request was answered or cancelled. */
  isClosed: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary requests
  body: any;
}

export interface Gateway {
  readonly url: string;
  readonly service: TestService;
  readonly gameId: string;
  readonly requests: SeenRequest[];
  /** The behavior for the next requests that send something, one each; the last one stays. */
  behave(...behaviors: Behavior[]): void;
  /** The paths of the requests that read something. */
  readonly reads: string[];
  /** Answers requests that read something like this. By default, they are forwarded unless all others fail. */
  behaveToReads(behavior: Behavior | null): void;
  stop(): Promise<void>;
}

async function respond(response: ServerResponse, behavior: Answer): Promise<void> {
  const { status, headers, body = '{"error":"Unavailable"}', isCut = false } = behavior;
  // Pages of other origins read these answers too, so that the client decides by their content.
  const shared = { "content-type": "application/json", "access-control-allow-origin": "*" };
  response.writeHead(status, {
    ...shared,
    "content-length": Buffer.byteLength(body) + Number(isCut),
    ...headers,
  });
  if (!isCut) return void response.end(body);
  await new Promise((resolve) => response.write(body, resolve));
  response.destroy();
}

/** Starts a service with the game `maze`. Its clock is the real one, because clients send real times. */
export async function startGateway(): Promise<Gateway> {
  const clock = {
    get now() {
      return Date.now();
    },
  };
  const service = await startTestService({ clock });
  const gameId = await service.addGame("maze");
  const listening = await listen(service.app, { host: "127.0.0.1", port: 0 });
  const requests: SeenRequest[] = [];
  const reads: string[] = [];
  let behaviors: Behavior[] = ["forward"];
  let toReads: Behavior | null = null;

  const takeBehavior = () => (behaviors.length > 1 ? behaviors.shift() : behaviors[0]) ?? "forward";

  /** A client reads at any time, so reads have no turn among the behaviors. */
  function planRead(path: string): Behavior {
    reads.push(path);
    const [first = "forward"] = behaviors;
    return toReads ?? (first === "down" || first === "hang" ? first : "forward");
  }

  const isRead = ({ method, headers }: IncomingMessage) =>
    method === "GET" || headers["access-control-request-method"] === "GET";

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const content = Buffer.concat(chunks);
    const { url: path = "", headers, method = "GET" } = request;
    const planned = isRead(request) ? planRead(path) : takeBehavior();
    if (planned === "down") return void request.socket.destroy();
    const plain = headers["content-encoding"] === "gzip" ? gunzipSync(content) : content;
    const behavior = typeof planned === "function" ? planned(plain.toString()) : planned;
    if (content.length > 0) {
      const body = JSON.parse(plain.toString());
      const seen = { path, headers, bytes: plain.length, body, isClosed: false };
      requests.push(seen);
      response.once("close", () => {
        seen.isClosed = true;
      });
    }
    if (behavior === "hang") return;
    if (typeof behavior === "object") return await respond(response, behavior);
    const { host: _, connection: __, expect: ___, "transfer-encoding": ____, ...rest } = headers;
    const body = content.length > 0 ? { body: content } : {};
    const init = { method, headers: rest as Record<string, string>, ...body };
    const forwarded = await fetch(listening.url + path, init);
    const text = await forwarded.text();
    if (behavior === "lose-answer") return void request.socket.destroy();
    const { "content-encoding": _____, ...answered } = Object.fromEntries(forwarded.headers);
    response.writeHead(forwarded.status, { ...answered, "content-length": String(Buffer.byteLength(text)) });
    response.end(text);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    service,
    gameId,
    requests,
    reads,
    behaveToReads: (behavior) => {
      toReads = behavior;
    },
    behave: (...next) => {
      behaviors = next;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await listening.close();
      await service.stop();
    },
  };
}

/** The sessions of the service with their number of events by name, oldest first. */
export async function readSessions({ service }: Gateway, game = "maze") {
  const { json } = await service.get(`/api/v1/sessions?game=${game}&limit=100`);
  const details = [];
  for (const { id } of json.items.reverse())
    details.push((await service.get(`/api/v1/sessions/${id}`)).json.session);
  return details;
}
