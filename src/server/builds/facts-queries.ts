/** Reads the facts of a build: what each tester did in each ended session, one page of testers at a time. */
import { type SqlBool, sql } from "kysely";
import type { BuildFacts } from "../../contract/build-facts.ts";
import { frictionTypes } from "../../contract/insights.ts";
import { readGroup } from "../../scorecard/build-scorecard.ts";
import type { ReadFacts } from "../../scorecard/facts.ts";
import { groupBy } from "../../shared/group-by.ts";
import type { PageRange } from "../db/list-queries.ts";
import { countRows } from "../db/rows.ts";
import type { Db } from "../db/schema.ts";
import { readSessionAnswers } from "../feedback/submission-queries.ts";
import { type BuildScope, selectBuildSessions } from "./build-queries.ts";
import {
  FactsCollector,
  type FactsReader,
  isAnalyzed,
  type SessionData,
  type TestersWithFields,
} from "./describe-facts.ts";
import { receiptTime } from "./registration-queries.ts";
import { type PagedSession, readTesterSessions, sessionColumns } from "./tester-pages-queries.ts";

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
  const sessions = { open: 0, analyzed: 0, unanalyzed: 0, failed: 0, ...(await countLate(db, build)) };
  const versions = new Set<number>();
  for (const { open, count, ...row } of rows) {
    const analyzed = isAnalyzed(row);
    const ended = analyzed ? "analyzed" : row.status === "failed" ? "failed" : "unanalyzed";
    sessions[Number(open) === 1 ? "open" : ended] += Number(count);
    if (analyzed && row.analysis_version !== null) versions.add(row.analysis_version);
  }
  const failure = sessions.failed === 0 ? {} : await findFailure(db, build);
  const { testers } = await selectEnded(db, build, now)
    .select((eb) => eb.fn.count<number>("tester").distinct().as("testers"))
    .executeTakeFirstOrThrow();
  return {
    sessions: { ...sessions, ...failure },
    analysisVersions: [...versions].sort((x, y) => x - y),
    total: Number(testers),
  };
}

/** Why most of the failed analyses of a build failed; nothing without a reason. */
async function findFailure(db: Db, build: BuildScope): Promise<{ failure?: string }> {
  const row = await selectBuildSessions(db, build)
    .where("status", "=", "failed")
    .where("analysis_error", "is not", null)
    .select((eb) => ["analysis_error", eb.fn.countAll<number>().as("count")])
    .groupBy("analysis_error")
    .orderBy("count", "desc")
    .orderBy("analysis_error")
    .limit(1)
    .executeTakeFirst();
  return row?.analysis_error ? { failure: row.analysis_error } : {};
}

/** The number of sessions that were received too late; nothing without any. */
async function countLate(db: Db, { receivedBefore, ...build }: BuildScope): Promise<{ late?: number }> {
  if (receivedBefore === undefined) return {};
  const late = await countRows(
    selectBuildSessions(db, build).where((eb) => eb(receiptTime(eb), ">=", receivedBefore)),
  );
  return late === 0 ? {} : { late };
}

const selectEnded = (db: Db, build: BuildScope, now: number) =>
  selectBuildSessions(db, build).where(sql<SqlBool>`not ${isOpen(now)}`);

/** The testers of a page, in the order of their first session. */
export async function readTesterFacts(
  db: Db,
  build: BuildScope,
  page: PageRange,
  reader: FactsReader,
): Promise<TestersWithFields> {
  const byTester = await readTesterSessions(db, selectEnded(db, build, reader.now), page);
  const sessions = [...byTester.values()].flat();
  const collector = new FactsCollector(reader);
  collector.add(sessions, await readSessionData(db, build, sessions));
  return collector.finish();
}

/** The facts of a build: of the sessions by state, and of all testers. */
export async function readBuildGroup(db: Db, build: BuildScope, reader: FactsReader): Promise<ReadFacts> {
  const scope = await readFactsScope(db, build, reader.now);
  let last: PagedSession | undefined;
  const readNext = async () => {
    const sessions = await readSessionsAfter(db, build, reader.now, last);
    last = sessions.at(-1) ?? last;
    return sessions;
  };
  const facts = await readSessionFacts(db, { ...build, readNext }, reader);
  return readGroup({ version: build.version, ...scope, ...facts });
}

/** Reads facts that do not leave the service, so that nobody can learn the device of a tester. */
export const createPlainReader = (now: number): FactsReader => ({ now, hash: (device) => device });

/** Sessions that are read at once. */
const SESSIONS_PER_PART = 100;

/** Sessions whose facts are read. */
interface FactsSource {
  readonly gameId: string;
  /** The build of all sessions; null if it does not matter which testers had played others. */
  readonly version: string | null;
  /** Reads the next sessions in the order of recordedAt, some at a time; none after the last. */
  readonly readNext: () => Promise<readonly PagedSession[]>;
}

/** All testers of some sessions. */
async function readSessionFacts(
  db: Db,
  source: FactsSource,
  reader: FactsReader,
): Promise<TestersWithFields> {
  const collector = new FactsCollector(reader);
  for (;;) {
    const next = await source.readNext();
    if (next.length === 0) return collector.finish();
    collector.add(next, await readSessionData(db, source, next));
  }
}

/** Sessions of a game, and what they are called. */
interface SessionGroup {
  readonly gameId: string;
  readonly version: string;
  /** Those of one tester are in the order of recordedAt. */
  readonly sessionIds: readonly string[];
}

/** The facts of some sessions that have ended, such as those of the players of a variant. */
export async function readGroupOfSessions(
  db: Db,
  { gameId, version, sessionIds }: SessionGroup,
  reader: FactsReader,
): Promise<ReadFacts> {
  const sessions = { open: 0, analyzed: 0, unanalyzed: 0, failed: 0 };
  const versions = new Set<number>();
  let from = 0;
  const readNext = async (): Promise<readonly PagedSession[]> => {
    const ids = sessionIds.slice(from, from + SESSIONS_PER_PART);
    from += ids.length;
    if (ids.length === 0) return [];
    const ended = await selectEndedOf(db, gameId, ids, reader.now);
    sessions.open += ids.length - ended.length;
    for (const session of ended) {
      const analyzed = isAnalyzed(session);
      sessions[analyzed ? "analyzed" : session.status === "failed" ? "failed" : "unanalyzed"] += 1;
      if (analyzed && session.analysis_version !== null) versions.add(session.analysis_version);
    }
    return ended.length === 0 ? await readNext() : ended;
  };
  const facts = await readSessionFacts(db, { gameId, version: null, readNext }, reader);
  return readGroup({ version, sessions, analysisVersions: [...versions].sort((x, y) => x - y), ...facts });
}

const selectEndedOf = (db: Db, gameId: string, ids: readonly string[], now: number) =>
  db
    .selectFrom("sessions")
    .select(sessionColumns)
    .where("game_id", "=", gameId)
    .where("id", "in", ids)
    .where(sql<SqlBool>`not ${isOpen(now)}`)
    .orderBy("recorded_at")
    .orderBy("id")
    .execute();

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
    .limit(SESSIONS_PER_PART)
    .execute();

/** What is stored about some sessions. */
async function readSessionData(
  db: Db,
  { gameId, version }: Pick<FactsSource, "gameId" | "version">,
  sessions: readonly PagedSession[],
): Promise<SessionData> {
  const analyzed = sessions.filter(isAnalyzed).map(({ id }) => id);
  const devices = new Set(sessions.flatMap(({ device_id }) => device_id ?? []));
  const isEmpty = sessions.length === 0;
  return {
    rooms: analyzed.length === 0 ? new Map() : await readRooms(db, gameId, analyzed),
    friction: analyzed.length === 0 ? new Map() : await readFriction(db, gameId, analyzed),
    answers: isEmpty
      ? new Map()
      : await readSessionAnswers(
          db,
          gameId,
          sessions.map(({ id }) => id),
        ),
    firstElsewhere:
      version === null ? new Map() : await readFirstElsewhere(db, { gameId, version }, [...devices]),
  };
}

async function readRooms(db: Db, gameId: string, sessionIds: readonly string[]) {
  const rows = await db
    .selectFrom("room_times")
    .select(["session_id", "room", "after_ms", "active_ms", "completed", "failed", "quit", "gave_up"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", sessionIds)
    .execute();
  return groupBy(rows, ({ session_id }) => session_id);
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
  const friction = rows.filter(({ type }) => frictionTypes.some((friction) => friction === type));
  return groupBy(friction, ({ session_id }) => session_id);
}

/** The start of the first session of each device in another build, unix ms. Devices without one are left out. */
async function readFirstElsewhere(
  db: Db,
  { gameId, version }: Pick<BuildScope, "gameId" | "version">,
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
