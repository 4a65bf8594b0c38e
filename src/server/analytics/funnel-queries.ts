/** Reads which variants sessions were played in, and which events and rooms exist. */
import type { Db } from "../db/schema.ts";

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
  const rows = await db
    .selectFrom("event_totals")
    .select((eb) => ["name", eb.fn.sum<number>("count").as("events")])
    .where("game_id", "=", gameId)
    .where("count", ">", 0)
    .$if(environment !== "all", (query) => query.where("environment", "=", environment))
    .groupBy("name")
    .orderBy("events", "desc")
    .orderBy("name")
    .limit(MAX_NAMES)
    .execute();
  return new Set(rows.map(({ name }) => name));
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
