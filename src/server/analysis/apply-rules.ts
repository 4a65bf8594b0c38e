/** Applies the rules to a session: reads its data and what surrounds it, and returns what is stored about it. */

import { MINUTE_MS } from "../../shared/time-units.ts";
import { DamagedData, isStorableText, parseStoredJson } from "../core/stored-data.ts";
import type { CrashReportRow, Db, EventConfigRow, SessionRow } from "../db/schema.ts";
import type { Task } from "../db/service.ts";
import { findSessionBugReports } from "../feedback/bug-report-queries.ts";
import { computeDurations } from "../sessions/durations.ts";
import { findSessionFeedback } from "../sessions/feedback-queries.ts";
import { streamArrivedEvents } from "../telemetry/batch-queries.ts";
import { findEventConfig } from "../telemetry/event-config-queries.ts";
import { analyze } from "./analyst.ts";
import { readReportedCrashes, resolveCrashReports } from "./crash-reports.ts";
import { findMeaning, resolveMeanings } from "./meanings.ts";
import { buildMaterial, hasNothingToAnalyze, type ModelMaterial } from "./model-analyst.ts";
import { measurePerformance, type SessionPerformance } from "./performance.ts";
import { measureSessionTimes, readSessionOutcomes } from "./player-outcomes.ts";
import type { FeedbackAnswer, RecordedSession, SessionEvent, SessionFinding } from "./recorded-session.ts";
import { readUsualRoomTimes } from "./room-references.ts";
import type { RoomPlayColumns } from "./room-time-queries.ts";
import { MIN_SLOW_MS } from "./rules/stuck-point.ts";
import { repairClock } from "./session-clock.ts";
import { type RoomPlay, readPlay, type SessionPlay } from "./session-play.ts";
import { dividePlayers, mergePlay } from "./session-players.ts";
import { findLastRoom, formatSessionTitle } from "./session-title.ts";

/** What the rules find in a session, as plain values. */
export interface RuleResults {
  readonly findings: readonly SessionFinding[];
  readonly reports: readonly CrashReportRow[];
  readonly hasCrashed: boolean;
  readonly rooms: SessionRooms;
  readonly wallMs: number;
  readonly activeMs: number;
  readonly clockJumps: number;
  readonly jumpMs: number;
  readonly performance: SessionPerformance | null;
  /** Whether there are no events, answers or transcript. */
  readonly isEmpty: boolean;
  /** What an AI model is asked about; null if it is not to be asked. */
  readonly material: ModelMaterial | null;
}

interface RulesInput {
  readonly session: SessionRow;
  readonly asksModel: boolean;
}

/** Maximum duration of the analysis of a session, ms. The largest permitted session takes a tenth of it. */
export const MAX_ANALYSIS_MS = MINUTE_MS;

export const applyRulesTask: Task<RulesInput, RuleResults> = {
  name: "apply rules",
  lane: "background",
  maxMs: MAX_ANALYSIS_MS,
  run: ({ store }, input) => store.read((db) => applyRules(db, input)),
};

async function applyRules(db: Db, { session, asksModel }: RulesInput): Promise<RuleResults> {
  const config = await findEventConfig(db, session.game_id);
  const { recorded, snapshot, ...results } = await readRecordedSession(db, session, config);
  const findings = analyze(recorded);
  const hidden = new Set(config.filter((row) => row.hide_from_ai === 1).map((row) => row.name));
  return {
    ...results,
    findings,
    ...computeDurations(recorded.events, snapshot),
    isEmpty: hasNothingToAnalyze(recorded),
    material: asksModel ? buildMaterial(recorded, findings, hidden) : null,
  };
}

async function readRecordedSession(db: Db, session: SessionRow, config: readonly EventConfigRow[]) {
  const {
    events,
    sent,
    jumps: clockJumps,
    jumpMs,
    ...repaired
  } = repairClock(await readBatches(db, session));
  const meanings = resolveMeanings(config);
  const snapshot = repaired.snapshot ?? readSnapshot(session);
  const feedback = await readFeedbackAnswers(db, session);
  const playerReports = await findSessionBugReports(db, session.game_id, session.id);
  const crashes = sent.filter(({ name }) => findMeaning(name, meanings) === "crash");
  const { reports, sessionsByEvent } = await resolveCrashReports(db, session, crashes);
  const reportedCrashes = await readReportedCrashes(db, session);
  const own: RecordedSession = {
    events,
    snapshot: snapshot?.state ?? null,
    meanings,
    ended: true,
    feedback,
    transcript: session.transcript,
    playerReports,
    reportedCrashes,
    earlierCrashes: sessionsByEvent,
  };
  const performance = measurePerformance(session, sent);
  const hasCrashed = reportedCrashes.length > 0 || crashes.some(({ id }) => !sessionsByEvent.has(id));
  const rooms = measureRooms(own, hasCrashed);
  const slowRooms = [...rooms.times]
    .filter(([, { longest_ms }]) => longest_ms >= MIN_SLOW_MS)
    .map(([room]) => room);
  const usualRoomTimes = await readUsualRoomTimes(db, session, slowRooms);
  const recorded = { ...own, usualRoomTimes };
  return { recorded, snapshot, clockJumps, jumpMs, performance, reports, hasCrashed, rooms };
}

/** The stored state of the client; null if there is none. */
function readSnapshot({ snapshot, snapshot_at: at }: SessionRow) {
  if (snapshot === null || at === null) return null;
  const state = parseStoredJson(snapshot, "The state snapshot") as Readonly<Record<string, unknown>>;
  return { state, at };
}

/** What is stored about the rooms of a session. */
interface SessionRooms {
  readonly times: Map<string, RoomPlayColumns>;
  readonly last: string | null;
  /** What happened in the session; null without events. */
  readonly title: string | null;
}

/** Maximum number of rooms that are stored of a session: those that were left last, of which the player may have quit one. */
export const MAX_ROOMS = 500;

/** The rooms of a session that are stored. */
function selectRooms({ rooms }: SessionPlay): ReadonlySet<string> {
  const leftAt = ([, { visits }]: readonly [string, RoomPlay]) => visits.at(-1)?.end ?? -1;
  const kept = [...rooms].toSorted((a, b) => leftAt(b) - leftAt(a)).slice(0, MAX_ROOMS);
  return new Set(kept.map(([room]) => room));
}

function measureRooms(session: RecordedSession, hasCrashed: boolean): SessionRooms {
  const play = readPlay(session);
  const stored = selectRooms(play);
  const parts = dividePlayers(session, play);
  const times = measureSessionTimes(play, parts);
  const outcomes = readSessionOutcomes(play, parts, { hasCrashed });
  const rooms = outcomes.flatMap((outcome) => {
    const { room, afterMs, activeMs, completed, failed, quit, gaveUp } = outcome;
    const time = times.get(room);
    if (time === undefined || !stored.has(room) || !isStorableText(room)) return [];
    const columns = {
      ...{ ms: time.ms, longest_ms: time.longestMs, after_ms: afterMs, active_ms: activeMs },
      ...{
        completed: Number(completed),
        failed: Number(failed),
        quit: Number(quit),
        gave_up: Number(gaveUp),
      },
    };
    return [[room, columns] as const];
  });
  const last = findLastRoom(play);
  return {
    times: new Map(rooms),
    last: last !== null && isStorableText(last) ? last : null,
    title: formatSessionTitle(mergePlay(play, parts), outcomes, hasCrashed),
  };
}

/** The tester's answers to feedback forms in the session, in the order they arrived. */
async function readFeedbackAnswers(db: Db, session: SessionRow): Promise<FeedbackAnswer[]> {
  const submissions = await findSessionFeedback(db, session.game_id, session.id);
  return submissions.flatMap(({ responses }) => responses);
}

/** Reads the events of a session by batch, in the order of arrival. */
async function readBatches(db: Db, session: SessionRow) {
  const batches: { receivedAt: number; events: SessionEvent[] }[] = [];
  for await (const { events, receivedAt } of streamArrivedEvents(db, session.game_id, session.id))
    batches.push({ receivedAt, events: events.map((event) => ({ ...event, data: event.data ?? null })) });
  if (batches.length < session.next_batch) throw new DamagedData("A stored batch is missing");
  return batches;
}
