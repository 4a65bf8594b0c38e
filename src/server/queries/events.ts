/** Sums events by name: whole days from the rollups, the edges of a range from the sessions' own counts. */
import type { Db } from "../db/schema.ts";
import { type Days, type Part, type Range, splitDays } from "./days.ts";

/** Whose events are summed; bounds on recordedAt are inclusive, unix ms. */
export interface EventFilter extends Range {
  readonly gameId: string;
  readonly build?: string | undefined;
  /** `all` does not narrow. */
  readonly env?: string | undefined;
}

export interface EventSums {
  sessions: number;
  readonly byName: Map<string, number>;
}

/** Sums the events of the sessions that match. */
export async function sumEvents(db: Db, filter: EventFilter): Promise<EventSums> {
  const sums: EventSums = { sessions: 0, byName: new Map() };
  const { days, parts } = splitDays(filter);
  if (days !== null) await addFromRollups(db, filter, days, sums);
  for (const part of parts) await addFromSessions(db, filter, part, sums);
  return sums;
}

async function addFromSessions(db: Db, filter: EventFilter, range: Part, sums: EventSums): Promise<void> {
  const rows = await narrow(db, filter)
    .sessions.select("event_counts")
    .where("recorded_at", ">=", range.from)
    .where("recorded_at", "<=", range.to)
    .execute();
  sums.sessions += rows.length;
  for (const row of rows) {
    const counts = Object.entries(JSON.parse(row.event_counts) as Record<string, number>);
    for (const [name, count] of counts) add(sums, name, count);
  }
}

async function addFromRollups(
  db: Db,
  filter: EventFilter,
  { first, last }: Days,
  sums: EventSums,
): Promise<void> {
  const { events, days } = narrow(db, filter);
  const names = await events
    .select((eb) => ["name", eb.fn.sum<number>("count").as("count")])
    .where("day", ">=", first)
    .where("day", "<=", last)
    .groupBy("name")
    .execute();
  for (const row of names) add(sums, row.name, Number(row.count));
  const total = await days
    .select((eb) => eb.fn.sum<number>("sessions").as("sessions"))
    .where("day", ">=", first)
    .where("day", "<=", last)
    .executeTakeFirstOrThrow();
  sums.sessions += Number(total.sessions ?? 0);
}

function narrow(db: Db, { gameId, build, env }: EventFilter) {
  const wanted = {
    game_id: gameId,
    ...(build === undefined ? {} : { build }),
    ...(env === undefined || env === "all" ? {} : { environment: env }),
  };
  return {
    sessions: db.selectFrom("sessions").where((eb) => eb.and(wanted)),
    events: db.selectFrom("event_rollups").where((eb) => eb.and(wanted)),
    days: db.selectFrom("session_rollups").where((eb) => eb.and(wanted)),
  };
}

function add(sums: EventSums, name: string, count: number): void {
  sums.byName.set(name, (sums.byName.get(name) ?? 0) + count);
}
