/** Reads which variants sessions were played in, and which events and rooms exist. */
import type { Db } from "../db/schema.ts";
import { sumEvents } from "../sessions/event-sum-queries.ts";

/** Maximum number of names to suggest from. */
const MAX_NAMES = 2000;

/** The game and environment in which names are looked up. */
interface NameScope {
  readonly gameId: string;
  /** The environment, or `all`. */
  readonly environment: string;
}

/** The names of events in the environment, the most frequent first. */
export async function findEventNames(db: Db, { gameId, environment }: NameScope): Promise<Set<string>> {
  const counts = [...(await sumEvents(db, { gameId, env: environment }))].filter(([, count]) => count > 0);
  counts.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return new Set(counts.slice(0, MAX_NAMES).map(([name]) => name));
}

/** The rooms that analyzed sessions entered in the environment. */
export async function findRoomNames(db: Db, { gameId, environment }: NameScope): Promise<Set<string>> {
  const rows = await db
    .selectFrom("room_times")
    .select("room")
    .distinct()
    .where("game_id", "=", gameId)
    .$if(environment !== "all", (query) => query.where("environment", "=", environment))
    .orderBy("room")
    .limit(MAX_NAMES)
    .execute();
  return new Set(rows.map(({ room }) => room));
}
