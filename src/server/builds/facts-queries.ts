/** Reads the facts of a build: what each tester did in each ended session, one page of testers at a time. */
import { type SqlBool, sql } from "kysely";
import type { BuildFacts, BuildTesterFacts } from "../../contract/build-facts.ts";
import { frictionTypes } from "../../contract/insights.ts";
import { toTagRoom } from "../../shared/tag-subjects.ts";
import { OUTCOMES_VERSION } from "../analysis/version.ts";
import type { Db, RoomTimeRow } from "../db/schema.ts";
import { listQuestions, readSessionAnswers, type SessionAnswers } from "../feedback/submission-queries.ts";
import { type BuildScope, selectBuildSessions } from "./build-queries.ts";
import {
  groupBySession,
  type PagedSession,
  readTesterSessions,
  type TesterPage,
} from "./tester-pages-queries.ts";

/** What the facts of a build are read with. */
export interface FactsReader {
  readonly now: number;
  /** Hashes the device of a tester. */
  readonly hash: (device: string) => string;
}

type SessionFacts = BuildTesterFacts["sessions"][number];
type RoomFacts = SessionFacts["rooms"][number];

/**
 * Whether a session may still receive events: it has no end event, and the time without events that ends it has not passed. A
 * session that waits for another attempt of its analysis has ended.
 */
const isOpen = (now: number) =>
  sql<SqlBool>`(status = 'pending' and ended = 0 and analysis_attempts = 0 and coalesce(analysis_due, 0) > ${now})`;

const isAnalyzed = ({ status, analysis_version }: Pick<PagedSession, "status" | "analysis_version">) =>
  status === "analyzed" && (analysis_version ?? 0) >= OUTCOMES_VERSION;

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

/** The testers of a build in the order of their first session, and the form fields that they answered. */
export async function readTesterFacts(
  db: Db,
  build: BuildScope,
  page: TesterPage,
  reader: FactsReader,
): Promise<Pick<BuildFacts, "testers" | "fields">> {
  const byTester = await readTesterSessions(db, selectEnded(db, build, reader.now), page);
  const sessions = [...byTester.values()].flat();
  if (sessions.length === 0) return { testers: [], fields: [] };
  const ids = sessions.map(({ id }) => id);
  const known = sessions.filter(isAnalyzed).map(({ id }) => id);
  const rooms = known.length === 0 ? new Map() : await readRooms(db, build.gameId, known);
  const friction = known.length === 0 ? new Map() : await readFriction(db, build.gameId, known);
  const answers = await readSessionAnswers(db, build.gameId, ids);
  const devices = [...new Set(sessions.flatMap(({ device_id }) => device_id ?? []))];
  const firstElsewhere = await readFirstElsewhere(db, build, devices);
  const testers = [...byTester.values()].map((own): BuildTesterFacts => {
    const [first] = own;
    const startedAt = first?.recorded_at ?? reader.now;
    const device = first?.device_id ?? null;
    return {
      tester: device === null ? null : reader.hash(device),
      isReturning: device === null ? null : (firstElsewhere.get(device) ?? startedAt) < startedAt,
      observedSec: Math.max(0, reader.now - startedAt) / 1000,
      sessions: own.map((session) =>
        describeSession(session, startedAt, {
          rooms: rooms.get(session.id) ?? [],
          friction: friction.get(session.id) ?? [],
          answers: answers.get(session.id) ?? [],
        }),
      ),
    };
  });
  return { testers, fields: describeFields([...answers.values()].flat()) };
}

interface SessionData {
  readonly rooms: readonly RoomRow[];
  readonly friction: readonly { readonly tag: string; readonly after_ms: number | null }[];
  readonly answers: readonly SessionAnswers[];
}

function describeSession(
  session: PagedSession,
  startedAt: number,
  { rooms, friction, answers }: SessionData,
): SessionFacts {
  const { active_ms: activeMs, wall_ms, recorded_at } = session;
  // Active time of single moments comes from the events, and that of the session from the game, if it reports it.
  const toSec = (ms: number | null) => Math.min(Number(ms ?? 0), activeMs) / 1000;
  return {
    startSec: (recorded_at - startedAt) / 1000,
    activeSec: activeMs / 1000,
    wallSec: wall_ms / 1000,
    analyzed: isAnalyzed(session),
    crashed: isAnalyzed(session) && session.crashed === 1,
    rooms: mergeRooms(rooms).map(({ afterMs, activeMs, ...outcome }) => ({
      ...outcome,
      afterSec: toSec(afterMs),
      activeSec: activeMs / 1000,
    })),
    tags: friction
      .map(({ tag, after_ms }) => ({ tag, afterSec: after_ms === null ? null : toSec(after_ms) }))
      .sort((x, y) => (x.tag < y.tag ? -1 : 1)),
    questions: listQuestions(answers),
    answers: answers.flatMap(({ formId, responses }) =>
      responses.flatMap(({ fieldId, kind, value }) => {
        const number = readAnswer(kind, value);
        return number === null ? [] : [{ field: toField(formId, fieldId), ...number }];
      }),
    ),
  };
}

type RoomRow = Pick<
  RoomTimeRow,
  "session_id" | "room" | "after_ms" | "active_ms" | "completed" | "failed" | "quit" | "gave_up"
>;
type MergedRoom = Omit<RoomFacts, "afterSec" | "activeSec"> & {
  readonly afterMs: number;
  readonly activeMs: number;
};

/**
 * The outcome in each room by its name in tags, which several rooms may share: their visits are visits to one room. So any of
 * them may have completed it, and it quit there if it quit in any of them, because only the last visit of a session can quit.
 */
function mergeRooms(rows: readonly RoomRow[]): MergedRoom[] {
  const merged = new Map<string, MergedRoom>();
  for (const row of rows) {
    const room = toTagRoom(row.room);
    const other = merged.get(room);
    merged.set(room, {
      room,
      afterMs: Math.min(other?.afterMs ?? Number.POSITIVE_INFINITY, Number(row.after_ms ?? 0)),
      activeMs: (other?.activeMs ?? 0) + Number(row.active_ms ?? 0),
      completed: (other?.completed ?? false) || row.completed === 1,
      failed: (other?.failed ?? false) || row.failed === 1,
      quit: (other?.quit ?? false) || row.quit === 1,
      gaveUp: (other?.gaveUp ?? false) || row.gave_up === 1,
    });
  }
  return [...merged.values()].sort((x, y) => x.afterMs - y.afterMs || (x.room < y.room ? -1 : 1));
}

const toField = (formId: string, fieldId: string) => `${formId}/${fieldId}`;

/** An answer as a number; null if it is text. */
function readAnswer(
  kind: string,
  value: string,
): Pick<SessionFacts["answers"][number], "kind" | "value"> | null {
  if (kind === "rating-1-5" && /^[1-5]$/.test(value)) return { kind: "rating", value: Number(value) };
  if (kind === "yes-no" && /^(yes|no)$/.test(value))
    return { kind: "yes-no", value: value === "yes" ? 1 : 0 };
  return null;
}

/** The fields whose answers are numbers, in alphabetical order. */
function describeFields(answers: readonly SessionAnswers[]): BuildFacts["fields"] {
  const fields = new Map<string, BuildFacts["fields"][number]>();
  for (const { formId, formName, responses } of answers) {
    for (const { fieldId, kind, value, label } of responses) {
      const field = toField(formId, fieldId);
      if (readAnswer(kind, value) !== null) fields.set(field, { field, formName, label });
    }
  }
  return [...fields.values()].sort((x, y) => (x.field < y.field ? -1 : 1));
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

async function readFriction(db: Db, gameId: string, sessionIds: readonly string[]) {
  const rows = await db
    .selectFrom("insights")
    .select(["session_id", "tag", "after_ms"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", sessionIds)
    .where("type", "in", [...frictionTypes])
    .execute();
  return groupBySession(rows);
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
