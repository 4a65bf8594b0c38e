/** Reads the history of a build's testers, one page at a time. */

import { frictionTypes } from "../../contract/insights.ts";
import {
  MAX_HISTORY_SESSIONS,
  type SessionHistory,
  type TesterHistory,
} from "../../contract/play-history.ts";
import { toTagRoom } from "../../shared/tag-subjects.ts";
import type { Db, RoomTimeRow } from "../db/schema.ts";
import { readAnsweredQuestions } from "../feedback/submission-queries.ts";
import type { BuildScope } from "./build-queries.ts";

/** A page ends once its testers have this many sessions, so that its size is bounded. */
const MAX_PAGE_SESSIONS = 5000;

/** The testers of a build in the order of their first session. The page may have fewer than `limit` of them. */
export async function readTesterHistory(
  db: Db,
  build: BuildScope,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<TesterHistory[]> {
  const testers = await readTesterPage(db, build, limit, offset);
  if (testers.length === 0) return [];
  const rows = await readSessions(db, build, testers);
  const ids = rows.map(({ id }) => id);
  const rooms = await readRooms(db, build.gameId, ids);
  const questions = await readAnsweredQuestions(db, build.gameId, ids);
  const insights = await readFriction(db, build.gameId, ids);
  const byTester = new Map(testers.map((tester) => [tester, newHistory()]));
  for (const row of rows) {
    const history = byTester.get(row.tester);
    if (history === undefined) continue;
    const found = insights.get(row.id) ?? [];
    history.anonymous = row.device_id === null;
    history.sessions.push({
      activeSec: row.active_ms / 1000,
      wallSec: row.wall_ms / 1000,
      bugReports: found.filter(({ type }) => type === "bug-report").length,
      rooms: sumRoomTimes(rooms.get(row.id) ?? []),
      questions: [...(questions.get(row.id) ?? [])].sort(),
      tags: distinct(found.map(({ tag }) => tag)),
    });
  }
  return [...byTester.values()];
}

type RoomTime = Pick<RoomTimeRow, "room" | "ms">;

const newHistory = (): TesterHistory => ({ anonymous: false, sessions: [] });

const distinct = (values: readonly string[]): string[] => [...new Set(values)].sort();

/** The time in each room by its name in tags, which several rooms may share. */
function sumRoomTimes(rows: readonly RoomTime[]): SessionHistory["rooms"] {
  const times = new Map<string, number>();
  for (const { room, ms } of rows) {
    const name = toTagRoom(room);
    times.set(name, (times.get(name) ?? 0) + Number(ms));
  }
  return [...times]
    .map(([room, ms]) => ({ room, activeSec: ms / 1000 }))
    .sort((x, y) => (x.room < y.room ? -1 : 1));
}

function selectSessions(db: Db, { gameId, version, environment }: BuildScope) {
  return db
    .selectFrom("sessions")
    .where("game_id", "=", gameId)
    .where("build", "=", version)
    .$if(environment !== "all", (query) => query.where("environment", "=", environment));
}

/** At most `limit` testers; fewer if they have more than MAX_PAGE_SESSIONS sessions together. */
async function readTesterPage(db: Db, build: BuildScope, limit: number, offset: number): Promise<string[]> {
  const rows = await selectSessions(db, build)
    .select((eb) => ["tester", eb.fn.min("recorded_at").as("first"), eb.fn.countAll<number>().as("sessions")])
    .groupBy("tester")
    .orderBy("first")
    .orderBy("tester")
    .limit(limit)
    .offset(offset)
    .execute();
  let sessions = 0;
  const tooMany = rows.findIndex((row) => {
    sessions += Math.min(Number(row.sessions), MAX_HISTORY_SESSIONS);
    return sessions > MAX_PAGE_SESSIONS;
  });
  return rows.slice(0, tooMany === -1 ? rows.length : tooMany).map(({ tester }) => tester);
}

/** The first MAX_HISTORY_SESSIONS sessions of each tester, in the order of recordedAt. */
async function readSessions(db: Db, build: BuildScope, testers: readonly string[]) {
  const ranked = selectSessions(db, build)
    .select(["id", "tester", "device_id", "active_ms", "wall_ms", "recorded_at"])
    .select((eb) =>
      eb.fn
        .agg<number>("row_number")
        .over((over) => over.partitionBy("tester").orderBy("recorded_at").orderBy("id"))
        .as("rank"),
    )
    .where("tester", "in", testers);
  return await db
    .selectFrom(ranked.as("ranked"))
    .select(["id", "tester", "device_id", "active_ms", "wall_ms"])
    .where("rank", "<=", MAX_HISTORY_SESSIONS)
    .orderBy("recorded_at")
    .orderBy("id")
    .execute();
}

/** The rooms that each session entered and the time in each, by session id. */
async function readRooms(db: Db, gameId: string, sessionIds: readonly string[]) {
  const rows = await db
    .selectFrom("room_times")
    .select(["session_id", "room", "ms"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", sessionIds)
    .execute();
  return groupBySession(rows);
}

/** The friction of each session, by session id. */
async function readFriction(db: Db, gameId: string, sessionIds: readonly string[]) {
  const rows = await db
    .selectFrom("insights")
    .select(["session_id", "type", "tag"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", sessionIds)
    .where("type", "in", [...frictionTypes])
    .execute();
  return groupBySession(rows);
}

function groupBySession<Row extends { readonly session_id: string }>(rows: readonly Row[]) {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.session_id);
    if (group) group.push(row);
    else groups.set(row.session_id, [row]);
  }
  return groups;
}
