/** Selects the sessions of a build behind rows of a scorecard that are worse. */
import { frictionTypes } from "../../contract/insights.ts";
import { MAX_EVIDENCE_ROWS, MAX_ROW_EVIDENCE, type RowEvidence } from "../../contract/scorecard.ts";
import type { ScorecardRow } from "../../scorecard/rows.ts";
import { toTagRoom } from "../../shared/tag-subjects.ts";
import type { Db } from "../db/schema.ts";
import { type BuildScope, selectBuildSessions } from "./build-queries.ts";
import { readRooms } from "./room-queries.ts";

type Sessions = RowEvidence["sessions"];

/** The clearest sessions with the tag of each worse row about friction, or the newest that quit in its room. */
export async function readRowEvidence(
  db: Db,
  build: BuildScope,
  rows: readonly ScorecardRow[],
): Promise<RowEvidence[]> {
  const evidence: RowEvidence[] = [];
  const worse = rows.filter(({ status, decides }) => status === "worse" && decides);
  for (const { metric, name, subject } of worse.slice(0, MAX_EVIDENCE_ROWS)) {
    if (subject === null || (name !== "friction" && name !== "quit")) continue;
    const find = name === "friction" ? findTagged : findQuits;
    evidence.push({ metric, sessions: await find(db, build, subject) });
  }
  return evidence;
}

async function findTagged(db: Db, build: BuildScope, tag: string): Promise<Sessions> {
  const { gameId, version, environment } = build;
  const rows = await db
    .selectFrom("insights")
    .select(["id", "session_id", "title"])
    .where("game_id", "=", gameId)
    .where("build", "=", version)
    .where("tag", "=", tag)
    .where("type", "in", [...frictionTypes])
    .$if(environment !== "all", (query) => query.where("environment", "=", environment))
    .orderBy("confidence", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(MAX_ROW_EVIDENCE)
    .execute();
  return rows.map(({ id, session_id, title }) => ({ sessionId: session_id, insightId: id, title }));
}

/** `room` is named as in tags, which several rooms may share. */
async function findQuits(db: Db, build: BuildScope, room: string): Promise<Sessions> {
  const named = (await readRooms(db, build)).filter((name) => toTagRoom(name) === room);
  if (named.length === 0) return [];
  const rows = await selectBuildSessions(db, build)
    .select("id")
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("room_times")
          .select("room_times.room")
          .whereRef("room_times.game_id", "=", "sessions.game_id")
          .whereRef("room_times.session_id", "=", "sessions.id")
          .where("room_times.room", "in", named)
          .where("room_times.quit", "=", 1),
      ),
    )
    .orderBy("recorded_at", "desc")
    .orderBy("id")
    .limit(MAX_ROW_EVIDENCE)
    .execute();
  return rows.map(({ id }) => ({ sessionId: id, insightId: null, title: null }));
}
