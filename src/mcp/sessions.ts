/** MCP over HTTP: a session for each client that connects, bound to its key, bounded in number and in idle time. */
import { randomUUID } from "node:crypto";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { HttpError } from "../contract/errors.ts";
import { type CallLimiter, HttpTransport } from "./http-transport.ts";
import { createMcpServer, type McpOptions } from "./server.ts";

interface McpSession {
  readonly owner: string;
  readonly transport: HttpTransport;
  readonly server: Server;
  usedAt: number;
}

/** Who calls: what identifies the key, and what a session of it works with. */
export interface SessionCaller {
  readonly owner: string;
  readonly options: McpOptions;
}

/** Sessions of one key; the one unused for longest gives way. */
export const MAX_SESSIONS = 64;
/** A session that is not used for so long is closed, ms. */
export const IDLE_MS = 30 * 60_000;
/** Calls of one key that wait or run at once, over all its sessions; more are refused. */
export const MAX_CALLS = 256;
/** What one message may hold, bytes: a call is a few hundred. */
const MAX_BODY_BYTES = 1024 * 1024;

export class McpSessions {
  readonly #sessions = new Map<string, McpSession>();
  readonly #now: () => number;
  /** How many calls each owner has open. */
  readonly #open = new Map<string, number>();

  /** `stopping` closes them all. */
  constructor(now: () => number, stopping: AbortSignal) {
    this.#now = now;
    stopping.addEventListener("abort", () => this.#drop(() => true), { once: true });
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Answers one POST or DELETE. Throws `not_found` for a session that is gone, or another key's. */
  async handle(request: Request, caller: SessionCaller): Promise<Response> {
    const now = this.#now();
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
        onsessioninitialized: (id) => this.#add(id, { owner, transport, server, usedAt: this.#now() }),
        onsessionclosed: (id) => void this.#sessions.delete(id),
      },
      this.#callsOf(owner),
    );
    // Its callbacks may be undefined where the interface has them absent.
    await server.connect(transport as Parameters<Server["connect"]>[0]);
    const response = await transport.handleRequest(request);
    // What began with anything but an initialization has no session.
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  #callsOf(owner: string): CallLimiter {
    const change = (by: number) => {
      const count = (this.#open.get(owner) ?? 0) + by;
      if (count > 0) this.#open.set(owner, count);
      else this.#open.delete(owner);
    };
    return {
      acquire: () => {
        if ((this.#open.get(owner) ?? 0) >= MAX_CALLS) return false;
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
      this.#drop((one) => one === oldest);
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
