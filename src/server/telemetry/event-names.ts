/** Limits the number of event names that are counted for each game, because counters and responses grow with it. */
import { EVENTS, OTHER_EVENTS } from "../../shared/event-names.ts";
import type { Db } from "../db/schema.ts";
import { findMostFrequentNames } from "./event-count-queries.ts";
import type { TelemetryEvent } from "./events.ts";

/**
 * Maximum number of counted names per game, enforced by each server on its own. It is several times what a studio needs,
 * and limits the counts of a session to about 100 kB. Only clients that put ids or text into names exceed it.
 */
export const MAX_EVENT_NAMES = 2000;

const MAX_CACHED_GAMES = 200;

/** The counted event names of recently used games. */
export class EventNames {
  readonly #games = new Map<string, Set<string>>();

  /** Counts events that are about to be stored, by counted name. */
  async count(
    db: Db,
    gameId: string,
    events: readonly Pick<TelemetryEvent, "name">[],
  ): Promise<Map<string, number>> {
    const known = await this.#loadNames(db, gameId);
    const counts = new Map<string, number>();
    for (const { name } of events) {
      // Comparisons of experiments read the count of crashes, so that name is always counted.
      if (known.size < MAX_EVENT_NAMES || name === EVENTS.crash) known.add(name);
      const counted = known.has(name) ? name : OTHER_EVENTS;
      counts.set(counted, (counts.get(counted) ?? 0) + 1);
    }
    return counts;
  }

  async #loadNames(db: Db, gameId: string): Promise<Set<string>> {
    const known =
      this.#games.get(gameId) ?? new Set(await findMostFrequentNames(db, gameId, MAX_EVENT_NAMES));
    this.#games.delete(gameId);
    this.#games.set(gameId, known);
    for (const oldest of this.#games.keys()) {
      if (this.#games.size <= MAX_CACHED_GAMES) break;
      this.#games.delete(oldest);
    }
    return known;
  }
}
