/** Selects the sessions of a build behind rows of a scorecard that are worse or may be. */
import { frictionTypes } from "../../contract/insights.ts";
import { MAX_EVIDENCE_ROWS, MAX_ROW_EVIDENCE, type RowEvidence } from "../../contract/scorecard.ts";
import type { SessionEvidence } from "../../contract/verdict.ts";
import type { ScorecardRow } from "../../scorecard/rows.ts";
import { isWatched } from "../../scorecard/titled-rows.ts";
import { toTagRoom } from "../../shared/tag-subjects.ts";
import type { Db } from "../db/schema.ts";
import { type BuildScope, selectBuildSessions } from "./build-queries.ts";
import { readRooms } from "./room-queries.ts";

/** A session, and the insight that shows what happened. */
type Moment = Pick<SessionEvidence, "sessionId" | "insightId" | "title" | "activeSec">;

/** The rows with evidence: those that are worse, then those that may be. */
export const selectEvidenceRows = (rows: readonly ScorecardRow[]): ScorecardRow[] =>
  [...rows.filter(({ status }) => status === "worse"), ...rows.filter(isWatched)]
    .filter(({ name }) => name === "friction" || name === "quit")
    .slice(0, MAX_EVIDENCE_ROWS);

/** The clearest sessions with the tag of each row about friction, or those that quit in its room. */
export async function readRowEvidence(
  db: Db,
  build: BuildScope,
  rows: ReadonlyArray<Pick<ScorecardRow, "metric" | "name" | "subject">>,
): Promise<RowEvidence[]> {
  const found: { metric: string; moments: Moment[] }[] = [];
  for (const { metric, name, subject } of rows) {
    const find = name === "friction" ? findTagged : findQuits;
    found.push({ metric, moments: await find(db, build, subject ?? "") });
  }
  const ids = found.flatMap(({ moments }) => moments.map(({ sessionId }) => sessionId));
  const sessions = await readSessions(db, build.gameId, [...new Set(ids)]);
  return found.map(({ metric, moments }) => ({
    metric,
    sessions: moments.flatMap((moment) => {
      const session = sessions.get(moment.sessionId);
      return session ? [{ ...moment, ...session }] : [];
    }),
  }));
}

/** What evidence shows of each of these sessions. */
async function readSessions(db: Db, gameId: string, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, never>();
  const rows = await db
    .selectFrom("sessions")
    .select(["id", "title", "tester_handle", "recorded_at", "wall_ms"])
    .where("game_id", "=", gameId)
    .where("id", "in", ids)
    .execute();
  return new Map(
    rows.map(({ id, title, tester_handle: testerHandle, recorded_at: recordedAt, wall_ms }) => [
      id,
      { sessionTitle: title, testerHandle, recordedAt, duration: Math.round(wall_ms / 1000) },
    ]),
  );
}

async function findTagged(db: Db, build: BuildScope, tag: string): Promise<Moment[]> {
  const { gameId, version, environment } = build;
  const rows = await db
    .selectFrom("insights")
    .select(["id", "session_id", "title", "after_ms"])
    .where((eb) => eb.and({ game_id: gameId, build: version, tag }))
    .where("type", "in", [...frictionTypes])
    .$if(environment !== "all", (query) => query.where("environment", "=", environment))
    .orderBy("confidence", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(MAX_ROW_EVIDENCE)
    .execute();
  return rows.map(({ id, session_id, title, after_ms }) => ({
    ...{ sessionId: session_id, insightId: id, title },
    activeSec: after_ms === null ? null : after_ms / 1000,
  }));
}

/**
 * The sessions that quit in a room: first those that gave up, then those that failed, then those that played there longest. `room` is
 * named as in tags, which several rooms may share.
 */
async function findQuits(db: Db, build: BuildScope, room: string): Promise<Moment[]> {
  const named = (await readRooms(db, build)).filter((name) => toTagRoom(name) === room);
  if (named.length === 0) return [];
  const rows = await db
    .selectFrom("room_times")
    .select("session_id as id")
    .where("game_id", "=", build.gameId)
    .where("session_id", "in", selectBuildSessions(db, build).select("id"))
    .where("room", "in", named)
    .where("quit", "=", 1)
    .groupBy(["session_id", "recorded_at"])
    .orderBy((eb) => eb.fn.max("gave_up"), "desc")
    .orderBy((eb) => eb.fn.max("failed"), "desc")
    .orderBy((eb) => eb.fn.max("active_ms"), "desc")
    .orderBy("recorded_at", "desc")
    .orderBy("session_id")
    .limit(MAX_ROW_EVIDENCE)
    .execute();
  const ends = await readEnds(
    db,
    build.gameId,
    rows.map(({ id }) => id),
  );
  return rows.map(({ id }) => ({
    ...{ sessionId: id, insightId: null, title: null },
    activeSec: ends.get(id) ?? null,
  }));
}

/** The active seconds until each session ended: those before its first room, and those in all of its rooms. */
async function readEnds(
  db: Db,
  gameId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("room_times")
    .select((eb) => ["session_id", eb.fn.min("after_ms").as("before"), eb.fn.sum("active_ms").as("inRooms")])
    .where("game_id", "=", gameId)
    .where("session_id", "in", [...ids])
    .groupBy("session_id")
    .execute();
  return new Map(
    rows.map(({ session_id, before, inRooms }) => [session_id, (Number(before) + Number(inRooms)) / 1000]),
  );
}
