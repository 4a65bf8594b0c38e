/** Limits the number of event names that are counted for each game, because counters and responses grow with it. */
import { TELEMETRY_LIMITS } from "../../contract/telemetry.ts";
import { EVENTS, OTHER_EVENTS } from "../../shared/event-names.ts";
import { measurePointTimes, readTrace } from "../../shared/traces.ts";
import { isStorableText, skipDamaged } from "../core/stored-data.ts";
import type { Db, GameRow } from "../db/schema.ts";
import { sumEvents } from "../sessions/event-sum-queries.ts";

/**
 * Maximum number of counted names per game, enforced by each server on its own. It is several times what a studio needs,
 * and limits the counts of a session to about 100 kB. Only clients that put ids or text into names exceed it.
 */
export const MAX_EVENT_NAMES = 2000;

const MAX_CACHED_GAMES = 200;

/** What new event names are taken from. */
interface NameBudget {
  /** Returns false if the budget is spent. */
  takeName(): Promise<boolean>;
}

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

  /**
   * Divides events into those whose names are known or taken from a budget, and the others. Once a game has the maximum of
   * counted names, a new one costs nothing.
   */
  async admit<E extends Pick<TelemetryEvent, "name">>(
    db: Db,
    game: Pick<GameRow, "id" | "deletions">,
    events: readonly E[],
    budget: NameBudget | null,
  ): Promise<{ readonly named: readonly E[]; readonly unnamed: ReadonlySet<E> }> {
    const unnamed = new Set<E>();
    if (budget === null) return { named: events, unnamed };
    const known = await this.#loadNames(db, game);
    const refused = new Set<string>();
    for (const event of events) {
      const { name } = event;
      const isFree = known.has(name) || known.size >= MAX_EVENT_NAMES || name === EVENTS.crash;
      if (!isFree && !refused.has(name)) {
        if (await budget.takeName()) known.add(name);
        else refused.add(name);
      }
      if (refused.has(name)) unnamed.add(event);
    }
    return { named: unnamed.size === 0 ? events : events.filter((event) => !unnamed.has(event)), unnamed };
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

/** Valid telemetry events, and what the service reads from them. */
/** A valid event. */
export interface TelemetryEvent {
  readonly id: string;
  readonly name: string;
  /** Unix ms. */
  readonly timestamp: number;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The earliest timestamp of events in any order, unix ms; null if there are none. */
export function findFirstTime(events: readonly TelemetryEvent[]): number | null {
  let first: number | null = null;
  for (const { timestamp } of events) if (first === null || timestamp < first) first = timestamp;
  return first;
}

/** Where an event happened, as heatmaps use it. */
export interface Position {
  readonly x: number;
  readonly y: number;
  /** Absent if the event has none, or one that is not finite. */
  readonly z?: number;
  readonly room: string;
  /** The player of the device; absent if the event names none. */
  readonly player?: string;
}

/** Reads where an event happened. Null if it has no finite coordinates or no room name. */
export function readPosition({ data }: TelemetryEvent): Position | null {
  if (!data) return null;
  const { x, y, z, room } = data;
  if (typeof x !== "number" || typeof y !== "number" || !Number.isFinite(x) || !Number.isFinite(y))
    return null;
  if (typeof room !== "string" || room === "") return null;
  const player = readPlayer(data);
  return {
    ...{ x, y, room: cleanName(room) },
    ...(typeof z === "number" && Number.isFinite(z) ? { z } : {}),
    ...(player === null ? {} : { player }),
  };
}

/** A position and when the player was there, unix ms. */
export interface TimedPosition {
  readonly at: number;
  readonly position: Position;
}

/** The positions of a player that an event reports: one for `player_pos`, several for `trace_chunk`, none for others. */
export function readPlayerPositions(event: TelemetryEvent): readonly TimedPosition[] {
  if (event.name === EVENTS.position) {
    const position = readPosition(event);
    return position === null ? [] : [{ at: event.timestamp, position }];
  }
  const positions = readTracePositions(event) ?? [];
  const times = measurePointTimes(event, positions.length);
  return positions.map((position, index) => ({ at: event.timestamp + (times[index] ?? 0), position }));
}

/** The positions of a `trace_chunk`; null if the event is none. */
export function readTracePositions(event: TelemetryEvent): readonly Position[] | null {
  const points = readTrace(event);
  if (points === null) return null;
  const player = readPlayer(event.data);
  const place = { room: cleanName(String(event.data?.room)), ...(player === null ? {} : { player }) };
  return points.map((point) => ({ ...point, ...place }));
}

/** Reads which player of a device an event is about. Null if it names none. */
export function readPlayer(data: TelemetryEvent["data"]): string | null {
  const player = data?.player;
  if (typeof player !== "string" || player === "" || player.length > TELEMETRY_LIMITS.player) return null;
  return cleanName(player);
}

/** Replaces characters that the database cannot store in the name of a room or player. */
const cleanName = (name: string): string =>
  isStorableText(name) ? name : name.toWellFormed().replaceAll("\0", "\ufffd");
