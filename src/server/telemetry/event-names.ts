/** Decides by which names a game's events are counted: sums and their answers are as large as names are many. */
import { EVENTS } from "../../shared/event-names.ts";
import type { Db } from "../db/schema.ts";
import { findMostFrequentNames } from "./event-count-queries.ts";
import type { TelemetryEvent } from "./events.ts";

/**
 * By how many names the events of one game are counted, as each server sees it: several times what a studio has, and
 * few enough that a session's counts are some 100 kB at worst. Only a client whose names hold ids or texts has more.
 */
export const MAX_EVENT_NAMES = 2000;
/** What events of all further names are counted as: they are stored as they came. */
export const OTHER_NAMES = "(other)";

/** Of how many games the names are kept. */
const MAX_CACHED_GAMES = 200;

/** The names that games' events are counted by. */
export class EventNames {
  readonly #games = new Map<string, Set<string>>();

  /** How often each name that counts occurs in events that are about to be stored. */
  async count(
    db: Db,
    gameId: string,
    events: readonly Pick<TelemetryEvent, "name">[],
  ): Promise<Map<string, number>> {
    const known = await this.#namesOf(db, gameId);
    const counts = new Map<string, number>();
    for (const { name } of events) {
      // What comparisons of experiments look for in the counts must be found there.
      if (known.size < MAX_EVENT_NAMES || name === EVENTS.crash) known.add(name);
      const counted = known.has(name) ? name : OTHER_NAMES;
      counts.set(counted, (counts.get(counted) ?? 0) + 1);
    }
    return counts;
  }

  async #namesOf(db: Db, gameId: string): Promise<Set<string>> {
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
