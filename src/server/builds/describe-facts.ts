/** Describes what the testers of a build did, from the rows of their sessions. */
import { type BuildFacts, type BuildTesterFacts, MAX_TESTER_SESSIONS } from "../../contract/build-facts.ts";
import { toTagRoom } from "../../shared/tag-subjects.ts";
import type { SessionPerformance } from "../analysis/performance.ts";
import { OUTCOMES_VERSION } from "../analysis/version.ts";
import { parseStoredJson } from "../core/stored-data.ts";
import type { InsightRow, RoomTimeRow } from "../db/schema.ts";
import { listQuestions, type SessionAnswers } from "../feedback/submission-queries.ts";
import type { PagedSession } from "./tester-pages-queries.ts";

type SessionFacts = BuildTesterFacts["sessions"][number];
type RoomFacts = SessionFacts["rooms"][number];

export type RoomRow = Pick<
  RoomTimeRow,
  "session_id" | "room" | "after_ms" | "active_ms" | "completed" | "failed" | "quit" | "gave_up"
>;
type FrictionRow = Pick<InsightRow, "session_id" | "tag" | "after_ms">;

/** What is stored about some sessions, by session id, and about their devices. */
export interface SessionData {
  readonly rooms: ReadonlyMap<string, readonly RoomRow[]>;
  readonly friction: ReadonlyMap<string, readonly FrictionRow[]>;
  readonly answers: ReadonlyMap<string, readonly SessionAnswers[]>;
  /** The start of the first session of a device in another build, unix ms. */
  readonly firstElsewhere: ReadonlyMap<string, number>;
}

/** Whether the stored analysis of a session covers its current data, and has the outcomes in rooms. */
export const isAnalyzed = ({ status, analysis_version }: Pick<PagedSession, "status" | "analysis_version">) =>
  status === "analyzed" && (analysis_version ?? 0) >= OUTCOMES_VERSION;

/** What the facts of a build are read with. */
export interface FactsReader {
  readonly now: number;
  /** Hashes the device of a tester. */
  readonly hash: (device: string) => string;
}

export type TestersWithFields = Pick<BuildFacts, "testers" | "fields">;

/** Collects the facts of testers from sessions in the order of recordedAt. */
export class FactsCollector {
  #testers = new Map<string, { readonly startedAt: number; readonly facts: BuildTesterFacts }>();
  #fields = new Map<string, BuildFacts["fields"][number]>();
  /** The names of rooms in tags. Sessions share few rooms, and finding a name takes microseconds. */
  #tagRooms = new Map<string, string>();

  constructor(readonly reader: FactsReader) {}

  add(sessions: readonly PagedSession[], data: SessionData): void {
    for (const session of sessions) {
      const { startedAt, facts } = this.#findTester(session, data);
      if (facts.sessions.length >= MAX_TESTER_SESSIONS) continue;
      facts.sessions.push(describeSession(session, startedAt, data, this.#nameRoom));
      this.#addFields(data.answers.get(session.id) ?? []);
    }
  }

  /** The testers in the order of their first session, and the form fields whose answers are numbers. */
  finish(): TestersWithFields {
    const testers = [...this.#testers].sort(
      ([id, one], [otherId, other]) => one.startedAt - other.startedAt || (id < otherId ? -1 : 1),
    );
    const fields = [...this.#fields.values()].sort((x, y) => (x.field < y.field ? -1 : 1));
    return { testers: testers.map(([, { facts }]) => facts), fields };
  }

  #findTester({ tester, device_id, recorded_at }: PagedSession, { firstElsewhere }: SessionData) {
    const known = this.#testers.get(tester);
    if (known !== undefined) return known;
    const { now, hash } = this.reader;
    const facts = {
      tester: device_id === null ? null : hash(device_id),
      isReturning: device_id === null ? null : (firstElsewhere.get(device_id) ?? recorded_at) < recorded_at,
      observedSec: Math.max(0, now - recorded_at) / 1000,
      sessions: [],
    };
    const added = { startedAt: recorded_at, facts };
    this.#testers.set(tester, added);
    return added;
  }

  #nameRoom = (room: string): string => {
    const name = this.#tagRooms.get(room) ?? toTagRoom(room);
    this.#tagRooms.set(room, name);
    return name;
  };

  #addFields(answers: readonly SessionAnswers[]): void {
    for (const { formId, formName, responses } of answers) {
      for (const { fieldId, kind, value, label } of responses) {
        const field = toField(formId, fieldId);
        if (readAnswer(kind, value) !== null) this.#fields.set(field, { field, formName, label });
      }
    }
  }
}

function describeSession(
  session: PagedSession,
  startedAt: number,
  data: SessionData,
  nameRoom: (room: string) => string,
): SessionFacts {
  const rooms = data.rooms.get(session.id) ?? [];
  const friction = data.friction.get(session.id) ?? [];
  const answers = data.answers.get(session.id) ?? [];
  const { active_ms: activeMs, wall_ms, recorded_at } = session;
  // Active time of single moments comes from the events, and that of the session from the game, if it reports it.
  const toSec = (ms: number | null) => Math.min(Number(ms ?? 0), activeMs) / 1000;
  return {
    startSec: (recorded_at - startedAt) / 1000,
    activeSec: activeMs / 1000,
    wallSec: wall_ms / 1000,
    analyzed: isAnalyzed(session),
    crashed: isAnalyzed(session) && session.crashed === 1,
    rooms: mergeRooms(rooms, nameRoom).map(({ afterMs, activeMs, ...outcome }) => ({
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
    ...describePerformance(session, nameRoom),
  };
}

/** The stored performance, with the names of rooms in tags. */
function describePerformance(
  session: PagedSession,
  nameRoom: (room: string) => string,
): Pick<SessionFacts, "performance"> {
  if (!isAnalyzed(session) || session.performance === null) return {};
  const { platform, rooms } = parseStoredJson(session.performance, "The performance") as SessionPerformance;
  const named = rooms.map((one) => ({ ...one, room: one.room === null ? null : nameRoom(one.room) }));
  return { performance: { platform, rooms: named } };
}

type MergedRoom = Omit<RoomFacts, "afterSec" | "activeSec"> & {
  readonly afterMs: number;
  readonly activeMs: number;
};

/**
 * The outcome in each room by its name in tags, which several rooms may share: their visits are visits to one room. So any of
 * them may have completed it, and it quit there if it quit in any of them, because only the last visit of a session can quit.
 */
function mergeRooms(rows: readonly RoomRow[], nameRoom: (room: string) => string): MergedRoom[] {
  const merged = new Map<string, MergedRoom>();
  for (const row of rows) {
    const room = nameRoom(row.room);
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
