/** Counts the testers of a build by room, and those who have a tag about a room that they did not enter. */
import { sql } from "kysely";
import { frictionTypes } from "../../contract/insights.ts";
import type { Db } from "../db/schema.ts";
import type { BuildScope } from "./build-queries.ts";

/** The testers of a build in one room. */
export interface RoomTesters {
  /** The name of the room, as events name it. */
  readonly room: string;
  /** Testers who entered the room. */
  readonly testers: number;
  /** Testers of sessions for which it is known whether they completed the room. */
  readonly entered: number;
  /** Testers with a session that completed the room. */
  readonly completed: number;
}

/** The testers of a build by room, the most visited room first. */
export async function readRoomTesters(db: Db, build: BuildScope): Promise<RoomTesters[]> {
  const byTester = selectRoomTimes(db, build)
    .select((eb) => [
      "room_times.room",
      eb.fn.count<number>("completed").as("known"),
      eb.fn.max("completed").as("completed"),
    ])
    .groupBy(["sessions.tester", "room_times.room"]);
  const rows = await db
    .selectFrom(byTester.as("visits"))
    .select((eb) => [
      "room",
      eb.fn.countAll<number>().as("testers"),
      eb.fn.countAll<number>().filterWhere("known", ">", 0).as("entered"),
      eb.fn.countAll<number>().filterWhere("completed", "=", 1).as("completed"),
    ])
    .groupBy("room")
    .orderBy("testers", "desc")
    .orderBy("room")
    .execute();
  return rows.map(({ room, testers, entered, completed }) => ({
    room,
    testers: Number(testers),
    entered: Number(entered),
    completed: Number(completed),
  }));
}

/** The number of testers of a build who entered any of the rooms. */
export async function countRoomTesters(db: Db, build: BuildScope, rooms: readonly string[]): Promise<number> {
  const { testers } = await selectRoomTimes(db, build)
    .select((eb) => eb.fn.count<number>("sessions.tester").distinct().as("testers"))
    .where("room_times.room", "in", rooms)
    .executeTakeFirstOrThrow();
  return Number(testers);
}

/** The rooms of sessions of a build. A cross join makes SQLite read the sessions first, which an index contains. */
const selectRoomTimes = (db: Db, { gameId, version, environment }: BuildScope) =>
  db
    .selectFrom("sessions")
    .crossJoin("room_times")
    .whereRef("room_times.game_id", "=", "sessions.game_id")
    .whereRef("room_times.session_id", "=", "sessions.id")
    // Postgres then reads the rooms of this build only.
    .where("room_times.build", "=", version)
    .where("sessions.game_id", "=", gameId)
    .where("sessions.build", "=", version)
    .$if(environment !== "all", (query) => query.where("sessions.environment", "=", environment));

/** A tag about a room, and a name of that room. */
interface TagRoom {
  readonly tag: string;
  readonly room: string;
}

/** Maximum number of pairs in one statement. Each takes two of the parameters that the databases allow. */
const MAX_PAIRS = 1000;

/** The number of testers who have a tag but entered no room of it, by tag. Tags without such testers are omitted. */
export async function countTaggedElsewhere(
  db: Db,
  build: BuildScope,
  tagRooms: readonly TagRoom[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const part of splitByTag(tagRooms))
    for (const { tag, testers } of await countPart(db, build, part)) counts.set(tag, Number(testers));
  return counts;
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

async function countPart(db: Db, build: BuildScope, tagRooms: readonly TagRoom[]) {
  const { gameId, version, environment } = build;
  const pairs = tagRooms.map(({ tag, room }) => sql`(${tag}, ${room})`);
  const inSession = sql`exists (
    select 1 from room_times where room_times.game_id = insights.game_id
    and room_times.session_id = insights.session_id and room_times.room = pairs.room)`;
  const inAnySession = sql`exists (
    select 1 from sessions cross join room_times where room_times.game_id = sessions.game_id
    and room_times.session_id = sessions.id and room_times.room = pairs.room and room_times.build = ${version}
    and ${environment === "all" ? sql`true` : sql`room_times.environment = ${environment}`}
    and sessions.game_id = insights.game_id and sessions.device_id = insights.tester)`;
  const elsewhere = db
    .with("pairs(tag, room)", () => sql<TagRoom>`(values ${sql.join(pairs)})`)
    .selectFrom("insights")
    .crossJoin("pairs")
    .whereRef("pairs.tag", "=", "insights.tag")
    .select(["insights.tag", "insights.tester"])
    .where("insights.game_id", "=", gameId)
    .where("insights.build", "=", version)
    .where("insights.type", "in", [...frictionTypes])
    .$if(environment !== "all", (query) => query.where("insights.environment", "=", environment))
    .groupBy(["insights.tag", "insights.tester"])
    // Most findings are in the room of their tag, so that the other sessions of the tester are rarely read.
    .having(sql<boolean>`max(case when ${inSession} then 1 when ${inAnySession} then 1 else 0 end) = 0`);
  return await db
    .selectFrom(elsewhere.as("elsewhere"))
    .select((eb) => ["tag", eb.fn.countAll<number>().as("testers")])
    .groupBy("tag")
    .execute();
}
