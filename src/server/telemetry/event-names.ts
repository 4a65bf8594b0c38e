/** Limits the number of event names that are counted for each game, because counters and responses grow with it. */
import { EVENTS, OTHER_EVENTS } from "../../shared/event-names.ts";
import { skipDamaged } from "../core/stored-data.ts";
import type { Db, GameRow } from "../db/schema.ts";
import { sumEvents } from "../sessions/event-sum-queries.ts";
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
    game: Pick<GameRow, "id" | "deletions">,
    events: readonly Pick<TelemetryEvent, "name">[],
  ): Promise<Map<string, number>> {
    const known = await this.#loadNames(db, game);
    const counts = new Map<string, number>();
    for (const { name } of events) {
      // Comparisons of experiments read the count of crashes, so that name is always counted.
      if (known.size < MAX_EVENT_NAMES || name === EVENTS.crash) known.add(name);
      const counted = known.has(name) ? name : OTHER_EVENTS;
      counts.set(counted, (counts.get(counted) ?? 0) + 1);
    }
    return counts;
  }

  async #loadNames(db: Db, { id, deletions }: Pick<GameRow, "id" | "deletions">): Promise<Set<string>> {
    // After a deletion, names that only the deleted sessions had no longer count toward the limit.
    const key = `${id} ${deletions}`;
    if (!this.#games.has(key)) {
      const counts = (await skipDamaged(() => sumEvents(db, { gameId: id }))) ?? [];
      const names = [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
      // Another batch may have loaded the names in the meantime, and added its own.
      if (!this.#games.has(key)) this.#games.set(key, new Set(names.slice(0, MAX_EVENT_NAMES)));
    }
    const known = this.#games.get(key) ?? new Set();
    this.#games.delete(key);
    this.#games.set(key, known);
    for (const oldest of this.#games.keys()) {
      if (this.#games.size <= MAX_CACHED_GAMES) break;
      this.#games.delete(oldest);
    }
    return known;
  }
}
