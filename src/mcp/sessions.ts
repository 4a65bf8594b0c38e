/** MCP sessions over HTTP: one per connected client, bound to its API key and limited in number and idle time. */
import { randomUUID } from "node:crypto";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { HttpError } from "../contract/errors.ts";
import { type CallLimiter, HttpTransport } from "./http-transport.ts";
import { createMcpServer, type McpOptions } from "./server.ts";

interface McpSession {
  readonly owner: string;
  readonly transport: HttpTransport;
  readonly server: Server;
  /** Ms of the monotonic clock. */
  usedAt: number;
}

interface SessionCaller {
  /** Identifies the API key. */
  readonly owner: string;
  readonly options: McpOptions;
}

/** The maximum number of sessions per key. A further session replaces the least recently used one. */
export const MAX_SESSIONS = 64;
/** The idle time after which a session is closed, ms. */
export const IDLE_MS = 30 * 60_000;
/** The maximum number of open calls per key, over all its sessions. Further calls are rejected. */
export const MAX_CALLS = 256;
/** The maximum size of a message in bytes. A typical call has a few hundred. */
const MAX_BODY_BYTES = 1024 * 1024;

export class McpSessions {
  readonly #sessions = new Map<string, McpSession>();
  readonly #monotonicNow: () => number;
  /** The number of open calls by owner. */
  readonly #openCalls = new Map<string, number>();

  /** Aborting `stopping` closes all sessions. */
  constructor(monotonicNow: () => number, stopping: AbortSignal) {
    this.#monotonicNow = monotonicNow;
    stopping.addEventListener("abort", () => this.#drop(() => true), { once: true });
  }

  /** Handles one POST or DELETE. Throws `not_found` if the session does not exist or belongs to another key. */
  async handle(request: Request, caller: SessionCaller): Promise<Response> {
    const now = this.#monotonicNow();
    this.#drop(({ usedAt }) => now - usedAt >= IDLE_MS);
    const id = request.headers.get("mcp-session-id");
    if (id === null) return await this.#begin(request, caller);
    const session = this.#sessions.get(id);
    if (session?.owner !== caller.owner) throw new HttpError("not_found");
    session.usedAt = now;
    return await session.transport.handleRequest(request);
  }

  async #begin(request: Request, { owner, options }: SessionCaller): Promise<Response> {
    const server = createMcpServer(options);
    const transport: HttpTransport = new HttpTransport(
      {
        sessionIdGenerator: randomUUID,
        maxRequestBodySize: MAX_BODY_BYTES,
        onsessioninitialized: (id) =>
          this.#add(id, { owner, transport, server, usedAt: this.#monotonicNow() }),
        onsessionclosed: (id) => void this.#sessions.delete(id),
      },
      this.#createCallLimiter(owner),
    );
    // The class declares callbacks as possibly undefined, the interface as optional (exactOptionalPropertyTypes).
    await server.connect(transport as Parameters<Server["connect"]>[0]);
    const response = await transport.handleRequest(request);
    // Only an initialize message starts a session.
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  #createCallLimiter(owner: string): CallLimiter {
    const change = (by: number) => {
      const count = (this.#openCalls.get(owner) ?? 0) + by;
      if (count > 0) this.#openCalls.set(owner, count);
      else this.#openCalls.delete(owner);
    };
    return {
      acquire: () => {
        if ((this.#openCalls.get(owner) ?? 0) >= MAX_CALLS) return false;
        change(1);
        return true;
      },
      release: () => change(-1),
    };
  }

  #add(id: string, session: McpSession): void {
    const own = [...this.#sessions.values()].filter(({ owner }) => owner === session.owner);
    if (own.length >= MAX_SESSIONS) {
      const oldest = own.reduce((a, b) => (b.usedAt < a.usedAt ? b : a));
      this.#drop((candidate) => candidate === oldest);
    }
    this.#sessions.set(id, session);
  }

  #drop(matches: (session: McpSession) => boolean): void {
    for (const [id, session] of this.#sessions) {
      if (!matches(session)) continue;
      this.#sessions.delete(id);
      void session.server.close();
    }
  }
}
