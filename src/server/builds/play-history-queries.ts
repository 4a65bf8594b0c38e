/** Reads the history of a build's testers, one page at a time. */

import type { SessionHistory, TesterHistory } from "../../contract/play-history.ts";
import { toTagRoom } from "../../shared/tag-subjects.ts";
import type { Db, RoomTimeRow } from "../db/schema.ts";
import { listQuestions, readSessionAnswers } from "../feedback/submission-queries.ts";
import { type BuildScope, selectBuildSessions } from "./build-queries.ts";
import { readFriction } from "./facts-queries.ts";
import { groupBySession, readTesterSessions, type TesterPage } from "./tester-pages-queries.ts";

/** The testers of a build in the order of their first session. The page may have fewer than `limit` of them. */
export async function readTesterHistory(
  db: Db,
  build: BuildScope,
  page: TesterPage,
): Promise<TesterHistory[]> {
  const byTester = await readTesterSessions(db, selectBuildSessions(db, build), page);
  if (byTester.size === 0) return [];
  const ids = [...byTester.values()].flatMap((sessions) => sessions.map(({ id }) => id));
  const rooms = await readRooms(db, build.gameId, ids);
  const answers = await readSessionAnswers(db, build.gameId, ids);
  const insights = await readFriction(db, build.gameId, ids);
  return [...byTester.values()].map((sessions) => ({
    anonymous: sessions.some(({ device_id }) => device_id === null),
    sessions: sessions.map((row) => {
      const found = insights.get(row.id) ?? [];
      return {
        activeSec: row.active_ms / 1000,
        wallSec: row.wall_ms / 1000,
        bugReports: found.filter(({ type }) => type === "bug-report").length,
        rooms: sumRoomTimes(rooms.get(row.id) ?? []),
        questions: listQuestions(answers.get(row.id) ?? []),
        tags: distinct(found.map(({ tag }) => tag)),
      };
    }),
  }));
}

type RoomTime = Pick<RoomTimeRow, "room" | "ms">;

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
