/** Reads the facts of a build: what each tester did in each ended session, one page of testers at a time. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type SqlBool, sql } from "kysely";
import type { BuildFacts } from "../../contract/build-facts.ts";
import { frictionTypes } from "../../contract/insights.ts";
import { readGroup } from "../../scorecard/build-scorecard.ts";
import type { ReadFacts } from "../../scorecard/facts.ts";
import type { Db } from "../db/schema.ts";
import type { Store } from "../db/store.ts";
import { readSessionAnswers } from "../feedback/submission-queries.ts";
import { type BuildScope, selectBuildSessions } from "./build-queries.ts";
import {
  FactsCollector,
  type FactsReader,
  isAnalyzed,
  type SessionData,
  type TestersWithFields,
} from "./describe-facts.ts";
import {
  groupBySession,
  type PagedSession,
  readTesterSessions,
  sessionColumns,
  type TesterPage,
} from "./tester-pages-queries.ts";

/**
 * Whether a session may still receive events: it has no end event, and the time without events that ends it has not passed. A
 * session that waits for another attempt of its analysis has ended.
 */
const isOpen = (now: number) =>
  sql<SqlBool>`(status = 'pending' and ended = 0 and analysis_attempts = 0 and coalesce(analysis_due, 0) > ${now})`;

/** The sessions of a build by state, the versions of the rules that analyzed them, and the number of testers with an ended session. */
export async function readFactsScope(
  db: Db,
  build: BuildScope,
  now: number,
): Promise<Pick<BuildFacts, "sessions" | "analysisVersions" | "total">> {
  const rows = await selectBuildSessions(db, build)
    .select((eb) => ["status", "analysis_version", eb.fn.countAll<number>().as("count")])
    .select(sql<number>`case when ${isOpen(now)} then 1 else 0 end`.as("open"))
    .groupBy(["status", "analysis_version", "open"])
    .execute();
  const sessions = { open: 0, analyzed: 0, unanalyzed: 0, failed: 0 };
  const versions = new Set<number>();
  for (const { open, count, ...row } of rows) {
    const analyzed = isAnalyzed(row);
    const ended = analyzed ? "analyzed" : row.status === "failed" ? "failed" : "unanalyzed";
    sessions[Number(open) === 1 ? "open" : ended] += Number(count);
    if (analyzed && row.analysis_version !== null) versions.add(row.analysis_version);
  }
  const { testers } = await selectEnded(db, build, now)
    .select((eb) => eb.fn.count<number>("tester").distinct().as("testers"))
    .executeTakeFirstOrThrow();
  return { sessions, analysisVersions: [...versions].sort((x, y) => x - y), total: Number(testers) };
}

const selectEnded = (db: Db, build: BuildScope, now: number) =>
  selectBuildSessions(db, build).where(sql<SqlBool>`not ${isOpen(now)}`);

/** The testers of a page, in the order of their first session. */
export async function readTesterFacts(
  db: Db,
  build: BuildScope,
  page: TesterPage,
  reader: FactsReader,
): Promise<TestersWithFields> {
  const byTester = await readTesterSessions(db, selectEnded(db, build, reader.now), page);
  const sessions = [...byTester.values()].flat();
  const collector = new FactsCollector(reader);
  collector.add(sessions, await readSessionData(db, build, sessions));
  return collector.finish();
}

/** The facts of a build: of the sessions by state, and of all testers. */
export async function readBuildGroup(
  store: Pick<Store, "read">,
  build: BuildScope,
  reader: FactsReader,
): Promise<ReadFacts> {
  const scope = await store.read((db) => readFactsScope(db, build, reader.now));
  return readGroup({ version: build.version, ...scope, ...(await readAllTesterFacts(store, build, reader)) });
}

/** Reads facts that do not leave the service, so that nobody can learn the device of a tester. */
export const createPlainReader = (now: number): FactsReader => ({ now, hash: (device) => device });

/** Reading and describing this many sessions takes some milliseconds. */
const SESSIONS_PER_TURN = 100;

/** All testers of a build. Other requests get their turn after some milliseconds, so this takes several transactions. */
async function readAllTesterFacts(
  { read }: Pick<Store, "read">,
  build: BuildScope,
  reader: FactsReader,
): Promise<TestersWithFields> {
  const collector = new FactsCollector(reader);
  let last: PagedSession | undefined;
  for (;;) {
    const sessions = await read(async (db) => {
      const next = await readSessionsAfter(db, build, reader.now, last);
      collector.add(next, await readSessionData(db, build, next));
      return next;
    });
    last = sessions.at(-1);
    if (sessions.length < SESSIONS_PER_TURN) return collector.finish();
    await nextTurn();
  }
}

/** The next ended sessions of a build in the order of recordedAt. */
const readSessionsAfter = (
  db: Db,
  build: BuildScope,
  now: number,
  last: PagedSession | undefined,
): Promise<PagedSession[]> =>
  selectEnded(db, build, now)
    .select(sessionColumns)
    .$if(last !== undefined, (query) =>
      query.where((eb) =>
        eb(eb.refTuple("recorded_at", "id"), ">", eb.tuple(last?.recorded_at ?? 0, last?.id ?? "")),
      ),
    )
    .orderBy("recorded_at")
    .orderBy("id")
    .limit(SESSIONS_PER_TURN)
    .execute();

/** What is stored about some sessions of a build. */
async function readSessionData(
  db: Db,
  build: BuildScope,
  sessions: readonly PagedSession[],
): Promise<SessionData> {
  const analyzed = sessions.filter(isAnalyzed).map(({ id }) => id);
  const devices = new Set(sessions.flatMap(({ device_id }) => device_id ?? []));
  const isEmpty = sessions.length === 0;
  return {
    rooms: analyzed.length === 0 ? new Map() : await readRooms(db, build.gameId, analyzed),
    friction: analyzed.length === 0 ? new Map() : await readFriction(db, build.gameId, analyzed),
    answers: isEmpty
      ? new Map()
      : await readSessionAnswers(
          db,
          build.gameId,
          sessions.map(({ id }) => id),
        ),
    firstElsewhere: await readFirstElsewhere(db, build, [...devices]),
  };
}

async function readRooms(db: Db, gameId: string, sessionIds: readonly string[]) {
  const rows = await db
    .selectFrom("room_times")
    .select(["session_id", "room", "after_ms", "active_ms", "completed", "failed", "quit", "gave_up"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", sessionIds)
    .execute();
  return groupBySession(rows);
}

/** The friction of each session, by session id. */
export async function readFriction(db: Db, gameId: string, sessionIds: readonly string[]) {
  const rows = await db
    .selectFrom("insights")
    .select(["session_id", "type", "tag", "after_ms"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", sessionIds)
    .execute();
  // With a condition on the type, SQLite would read all insights of the game by its index of types.
  return groupBySession(rows.filter(({ type }) => frictionTypes.some((friction) => friction === type)));
}

/** The start of the first session of each device in another build, unix ms. Devices without one are left out. */
async function readFirstElsewhere(
  db: Db,
  { gameId, version }: BuildScope,
  devices: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (devices.length === 0) return new Map();
  const rows = await db
    .selectFrom("sessions")
    .select((eb) => ["device_id", eb.fn.min("recorded_at").as("first")])
    .where("game_id", "=", gameId)
    .where("device_id", "in", devices)
    .where("build", "!=", version)
    .groupBy("device_id")
    .execute();
  return new Map(rows.flatMap(({ device_id, first }) => (device_id === null ? [] : [[device_id, first]])));
}
