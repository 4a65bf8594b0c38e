/** The names there are, for listings and completions: asked of the API, and kept for a minute. */
import type { Endpoint, Input, Output } from "../contract/define.ts";
import { listGames } from "../contract/games.ts";
import { listHandles } from "../contract/handles.ts";
import { listSessions, type Session } from "../contract/sessions.ts";
import { type CallContext, type CallOptions, callApi } from "./call.ts";

/** A game as it is named. */
export interface GameName {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
}

/** How long names are kept, ms. */
const CACHE_TTL_MS = 60_000;
/** Sessions looked at for the names of builds: one page. */
const SESSION_LIMIT = 100;

export class McpNameCache {
  readonly #options: Pick<CallOptions, "client" | "deadlineMs">;
  readonly #now: () => number;
  readonly #kept = new Map<string, { readonly at: number; readonly value: unknown }>();

  constructor(options: Pick<CallOptions, "client" | "deadlineMs">, now: () => number) {
    this.#options = options;
    this.#now = now;
  }

  async games(context: CallContext): Promise<readonly GameName[]> {
    return (await this.#read(listGames, {}, context)).games;
  }

  /** The newest sessions, of one game or of all. */
  async sessions(game: string | null, context: CallContext): Promise<readonly Session[]> {
    const of = game === null ? {} : { game };
    return (await this.#read(listSessions, { ...of, limit: SESSION_LIMIT }, context)).items;
  }

  /** The builds of a game's newest sessions, the newest first. */
  async builds(game: string, context: CallContext): Promise<readonly string[]> {
    const sessions = await this.sessions(game, context);
    return [...new Set(sessions.map(({ metadata }) => metadata.gameVersion))];
  }

  /** A game's testers by handle, those without one by device. */
  async testers(game: string, context: CallContext): Promise<readonly string[]> {
    return (await this.#read(listHandles, { game }, context)).handles.map(({ handle }) => handle);
  }

  async #read<E extends Endpoint>(
    endpoint: E,
    input: Input<E> & Record<string, unknown>,
    context: CallContext,
  ): Promise<Output<E>> {
    const key = JSON.stringify([endpoint.name, input]);
    const known = this.#kept.get(key);
    if (known && this.#now() - known.at < CACHE_TTL_MS) return known.value as Output<E>;
    const value = (await callApi(endpoint, input, this.#options, context)) as Output<E>;
    this.#prune();
    this.#kept.set(key, { at: this.#now(), value });
    return value;
  }

  #prune(): void {
    for (const [key, { at }] of this.#kept) if (this.#now() - at >= CACHE_TTL_MS) this.#kept.delete(key);
  }
}
