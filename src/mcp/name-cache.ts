/** The names of games, builds, sessions and testers for listings and completions, cached for a minute. */
import type { Endpoint, Input, Output } from "../contract/define.ts";
import { listGames } from "../contract/games.ts";
import { listHandles } from "../contract/handles.ts";
import { listSessions, type Session } from "../contract/sessions.ts";
import { type CallContext, type CallOptions, callApi } from "./call-api.ts";

export interface GameName {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
}

const CACHE_TTL_MS = 60_000;
/** The number of newest sessions whose builds are listed: one page. */
const SESSION_LIMIT = 100;

export class McpNameCache {
  readonly #options: Pick<CallOptions, "client" | "deadlineMs">;
  readonly #monotonicNow: () => number;
  /** Responses by endpoint and input, each with the time it was received, ms of the monotonic clock. */
  readonly #cache = new Map<string, { readonly receivedAt: number; readonly value: unknown }>();

  constructor(options: Pick<CallOptions, "client" | "deadlineMs">, monotonicNow: () => number) {
    this.#options = options;
    this.#monotonicNow = monotonicNow;
  }

  async games(context: CallContext): Promise<readonly GameName[]> {
    return (await this.#read(listGames, {}, context)).games;
  }

  /** The newest sessions of one game, or of all games if `game` is null. */
  async sessions(game: string | null, context: CallContext): Promise<readonly Session[]> {
    const filter = game === null ? {} : { game };
    return (await this.#read(listSessions, { ...filter, limit: SESSION_LIMIT }, context)).items;
  }

  /** The builds of a game's newest sessions, newest first. */
  async builds(game: string, context: CallContext): Promise<readonly string[]> {
    const sessions = await this.sessions(game, context);
    return [...new Set(sessions.map(({ metadata }) => metadata.gameVersion))];
  }

  async testers(game: string, context: CallContext): Promise<readonly string[]> {
    return (await this.#read(listHandles, { game }, context)).handles.map(({ handle }) => handle);
  }

  async #read<E extends Endpoint>(
    endpoint: E,
    input: Input<E> & Record<string, unknown>,
    context: CallContext,
  ): Promise<Output<E>> {
    const key = JSON.stringify([endpoint.name, input]);
    const cached = this.#cache.get(key);
    if (cached && this.#monotonicNow() - cached.receivedAt < CACHE_TTL_MS) return cached.value as Output<E>;
    const value = await callApi(endpoint, input, this.#options, context);
    this.#prune();
    this.#cache.set(key, { receivedAt: this.#monotonicNow(), value });
    return value;
  }

  #prune(): void {
    for (const [key, { receivedAt }] of this.#cache)
      if (this.#monotonicNow() - receivedAt >= CACHE_TTL_MS) this.#cache.delete(key);
  }
}
