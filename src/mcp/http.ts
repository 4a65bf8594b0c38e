/** MCP within the service: requests to /mcp become calls of the API of the same process, with the caller's key. */
import type { ClientOptions } from "../client/client.ts";
import type { Transport, TransportRequest, TransportResponse } from "../client/transport.ts";
import { sleep } from "../shared/sleep.ts";
import { type CallOptions, DEFAULT_DEADLINE_MS } from "./call.ts";
import type { McpOptions } from "./server.ts";
import { McpSessions } from "./sessions.ts";
import { DEFAULT_CHARS } from "./tool-result.ts";

/** What the service gives. */
export interface McpHost {
  /** Answers a request as the API would, without counting it against the caller's address again. */
  readonly fetch: (request: Request, address: string) => Promise<Response>;
  readonly allowIngest: boolean;
  readonly drawHeatmap: CallOptions["drawHeatmap"];
  /** Unix ms. */
  readonly now: () => number;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  readonly report: (message: string, error: unknown) => void;
}

/** Who asks. */
export interface McpCaller {
  /** What identifies the key: sessions are bound to it. */
  readonly owner: string;
  readonly key: string;
  readonly address: string;
}

/** Version of the surface, as of the API it stands for. */
const VERSION = "1.0.0";
/** Where requests within the process go: its host is one that is always answered. */
const IN_PROCESS_URL = "http://127.0.0.1";

/** Answers POST and DELETE of /mcp. */
export class McpHttp {
  readonly #host: McpHost;
  readonly #sessions: McpSessions;

  constructor(host: McpHost) {
    this.#host = host;
    this.#sessions = new McpSessions(host.now, host.stopping);
  }

  async answer(request: Request, caller: McpCaller): Promise<Response> {
    return await this.#sessions.handle(request, { owner: caller.owner, options: this.#optionsOf(caller) });
  }

  #optionsOf({ key, address }: McpCaller): McpOptions {
    const { fetch, stopping: _stopping, ...rest } = this.#host;
    const client: ClientOptions = {
      baseUrl: IN_PROCESS_URL,
      key,
      transport: createInProcessTransport((request) => fetch(request, address)),
      timeoutMs: DEFAULT_DEADLINE_MS,
      maxWaitMs: DEFAULT_DEADLINE_MS,
      waiting: { sleep, random: () => Math.random(), onWait: () => {} },
    };
    const limits = { deadlineMs: DEFAULT_DEADLINE_MS, maxChars: DEFAULT_CHARS };
    return { ...rest, client, ...limits, version: VERSION, game: null };
  }
}

/** A transport into this very process; what is given up is answered for nobody. */
function createInProcessTransport(fetch: (request: Request) => Promise<Response>): Transport {
  return async (asked) => {
    asked.signal?.throwIfAborted();
    return await Promise.race([send(fetch, asked), ...(asked.signal ? [rejectOnAbort(asked.signal)] : [])]);
  };
}

async function send(
  fetch: (request: Request) => Promise<Response>,
  { method, url, headers, body, signal }: TransportRequest,
): Promise<TransportResponse> {
  const request = new Request(url, {
    method,
    headers,
    ...(typeof body === "string" ? { body } : {}),
    ...(signal ? { signal } : {}),
  });
  const response = await fetch(request);
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
