/** Counts the testers of a build by room, and the testers who could meet a tag about a room. */
import { sql } from "kysely";
import { frictionTypes } from "../../contract/insights.ts";
import type { Db } from "../db/schema.ts";
import type { BuildScope } from "./build-scope.ts";

/** Maximum number of rooms per build: those with the most testers. Real games have far fewer. */
const MAX_ROOMS = 2000;
/** Maximum number of pairs in one statement. Each takes two of the parameters that the databases allow. */
const MAX_PAIRS = 1000;

/** The testers of a build in one room. */
export interface RoomTesters {
  /** The name of the room, as events name it. */
  readonly room: string;
  /** Testers of sessions for which it is known whether they completed the room. */
  readonly entered: number;
  /** Testers with a session that completed the room. */
  readonly completed: number;
}

/** A tag about a room, and a name of that room. */
export interface TagRoom {
  readonly tag: string;
  readonly room: string;
}

/** The testers of a build by room, the most visited room first. */
export async function readRoomTesters(db: Db, build: BuildScope): Promise<RoomTesters[]> {
  const rows = await selectRoomTimes(db, build)
    .select((eb) => [
      "room_times.room",
      eb.fn
        .count<number>("sessions.tester")
        .distinct()
        .filterWhere("completed", "is not", null)
        .as("entered"),
      eb.fn.count<number>("sessions.tester").distinct().filterWhere("completed", "=", 1).as("completed"),
      eb.fn.count<number>("sessions.tester").distinct().as("testers"),
    ])
    .groupBy("room_times.room")
    .orderBy("testers", "desc")
    .orderBy("room_times.room")
    .limit(MAX_ROOMS)
    .execute();
  return rows.map(({ room, entered, completed }) => ({
    room,
    entered: Number(entered),
    completed: Number(completed),
  }));
}

/** The number of testers who entered a room of the tag or have the tag, by tag. Tags without testers are omitted. */
export async function countExposedTesters(
  db: Db,
  build: BuildScope,
  tagRooms: readonly TagRoom[],
): Promise<Map<string, number>> {
  const exposed = new Map<string, number>();
  for (const part of splitByTag(tagRooms)) {
    for (const { tag, testers } of await countExposedPart(db, build, part)) exposed.set(tag, Number(testers));
  }
  return exposed;
}

/** Splits the pairs into parts of about MAX_PAIRS without separating the rooms of a tag. */
function splitByTag(tagRooms: readonly TagRoom[]): TagRoom[][] {
  const parts: TagRoom[][] = [];
  let part: TagRoom[] = [];
  for (const pair of [...tagRooms].sort((a, b) => (a.tag < b.tag ? -1 : a.tag > b.tag ? 1 : 0))) {
    if (part.length >= MAX_PAIRS && part.at(-1)?.tag !== pair.tag) part = [];
    if (part.length === 0) parts.push(part);
    part.push(pair);
  }
  return parts;
}

async function countExposedPart(db: Db, build: BuildScope, tagRooms: readonly TagRoom[]) {
  const pairs = tagRooms.map(({ tag, room }) => sql`(${tag}, ${room})`);
  return await db
    .with("pairs(tag, room)", () => sql<TagRoom>`(values ${sql.join(pairs)})`)
    .with("entered", () =>
      selectRoomTimes(db, build).select(["sessions.tester", "room_times.room"]).distinct(),
    )
    .with("exposed", (cte) =>
      cte
        .selectFrom("pairs")
        .innerJoin("entered", "entered.room", "pairs.room")
        .select(["pairs.tag", "entered.tester"])
        .union(selectTagTesters(db, build, tagRooms)),
    )
    .selectFrom("exposed")
    .select((eb) => ["tag", eb.fn.count<number>("tester").distinct().as("testers")])
    .groupBy("tag")
    .execute();
}

function selectRoomTimes(db: Db, { gameId, version, environment }: BuildScope) {
  return db
    .selectFrom("sessions")
    .innerJoin("room_times", (join) =>
      join
        .onRef("room_times.game_id", "=", "sessions.game_id")
        .onRef("room_times.session_id", "=", "sessions.id"),
    )
    .where("sessions.game_id", "=", gameId)
    .where("sessions.build", "=", version)
    .$if(environment !== "all", (query) => query.where("sessions.environment", "=", environment));
}

function selectTagTesters(
  db: Db,
  { gameId, version, environment }: BuildScope,
  tagRooms: readonly TagRoom[],
) {
  return db
    .selectFrom("insights")
    .select(["tag", "tester"])
    .where("game_id", "=", gameId)
    .where("build", "=", version)
    .where("type", "in", [...frictionTypes])
    .where("tag", "in", [...new Set(tagRooms.map(({ tag }) => tag))])
    .$if(environment !== "all", (query) => query.where("environment", "=", environment));
}
