/** Analyzes one claimed session: reads its data and what surrounds it, runs the rules, and stores the results. */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { DamagedData, isStorableText, parseStoredJson } from "../core/stored-data.ts";
import { findChangedRows } from "../db/rows.ts";
import type { Db, EventConfigRow, InsightRow, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { findSessionBugReports } from "../feedback/bug-report-queries.ts";
import { findInsightRows, replaceInsights } from "../insights/insight-queries.ts";
import { QUIET_MS } from "../sessions/analysis-queue.ts";
import { computeDurations } from "../sessions/durations.ts";
import { findSessionFeedback } from "../sessions/feedback-queries.ts";
import { buildSearchText } from "../sessions/list-item.ts";
import { streamStoredEvents } from "../telemetry/batch-queries.ts";
import { findEventConfig } from "../telemetry/event-config-queries.ts";
import { hasSentTitle } from "../telemetry/find-session.ts";
import { analyze } from "./analyst.ts";
import { unlinkCrashReports } from "./crash-report-queries.ts";
import {
  readReportedCrashes,
  replaceCrashReports,
  requeueEarlyReports,
  resolveCrashReports,
} from "./crash-reports.ts";
import { findMeaning, resolveMeanings } from "./meanings.ts";
import { addLlmFindings, hasNothingToAnalyze, isModelEvidence } from "./model-analyst.ts";
import { findChatModel } from "./provider/provider-queries.ts";
import { requestReanalysis } from "./queue-queries.ts";
import type { FeedbackAnswer, RecordedSession, SessionEvent, SessionFinding } from "./recorded-session.ts";
import { readRoomOutcomes } from "./room-outcomes.ts";
import { deleteUnusedReferences } from "./room-reference-queries.ts";
import { readUsualRoomTimes, updateRoomReferences } from "./room-references.ts";
import { type RoomPlayColumns, replaceRoomTimes } from "./room-time-queries.ts";
import { measureRoomTimes } from "./rules/room-times.ts";
import { MIN_SLOW_MS } from "./rules/stuck-point.ts";
import { readPlay } from "./session-play.ts";
import { findLastRoom, formatSessionTitle } from "./session-title.ts";
import { queueSummaries } from "./summary-queue-queries.ts";
import { ANALYSIS_VERSION } from "./version.ts";

/** The results of an analysis. */
interface AnalysisResults {
  /** Stores them in one transaction, and returns the changed columns of the session. */
  readonly store: (db: Db) => Promise<Partial<SessionRow>>;
  readonly insights: readonly InsightRow[];
  /** Whether they differ from the stored insights, other than the summary. */
  readonly hasChanged: boolean;
}

/**
 * Analyzes a session by rules, and keeps what an AI model found earlier. With `repeats`, the analysis is finished and only
 * repeated. With `enriches`, the model is asked too. Otherwise, an analysis of new data queues that, so that a model is only asked
 * about sessions that are quiet, and only once with each version of the rules.
 */
export async function analyzeSession(
  service: Service,
  session: SessionRow,
  { repeats, enriches }: { readonly repeats: boolean; readonly enriches: boolean },
): Promise<AnalysisResults> {
  const config = await findEventConfig(service.store.readDb, session.game_id);
  const { recorded, reports, hasCrashed, rooms } = await readRecordedSession(service, session, config);
  const ruleFindings = analyze(recorded);
  const previous = await findInsightRows(service.store.readDb, session.game_id, session.id);
  const findings = enriches
    ? await addLlmFindings(service, session, recorded, ruleFindings, config)
    : [...ruleFindings, ...keepModelFindings(previous, ruleFindings)];
  const asksModel = !repeats && (await needsModel(service, session, recorded));
  const now = service.now();
  const createdAt = new Map(repeats ? previous.map(({ id, created_at }) => [id, created_at]) : []);
  const rows = findings.map((finding) => toInsightRow(session, finding, createdAt, now));
  const { snapshot_at: at } = session;
  const snapshot = recorded.snapshot && at !== null ? { state: recorded.snapshot, at } : null;
  const { wallMs, activeMs } = computeDurations(recorded.events, snapshot);
  const store = async (db: Db) => {
    await replaceInsights(db, session.game_id, session.id, rows);
    await updateRoomReferences(db, session, await replaceRoomTimes(db, session, rooms.times));
    await replaceCrashReports(db, session, reports, now);
    await requeueEarlyReports(db, session, now);
    return {
      ...{ wall_ms: wallMs, active_ms: activeMs },
      ...{ analysis_version: ANALYSIS_VERSION, crashed: Number(hasCrashed), last_room: rooms.last },
      ...nameSession(session, rooms.title),
      ...(asksModel ? { enrichment_due: now + QUIET_MS } : {}),
    };
  };
  const hasChanged = findChangedRows(toComparable(previous), toComparable(rows)).length > 0;
  return { store, insights: rows, hasChanged };
}

/** Whether a model is to be asked about a session: if the account has one, and it was not asked after an analysis of this version. */
async function needsModel(
  { store }: Service,
  { account_id, enriched_version }: SessionRow,
  recorded: RecordedSession,
): Promise<boolean> {
  if (enriched_version === ANALYSIS_VERSION || hasNothingToAnalyze(recorded)) return false;
  return (await findChatModel(store.readDb, account_id)) !== null;
}

/** The findings without their times. The summary of a session changes with every event, so it is left out. */
function toComparable(insights: readonly InsightRow[]): Omit<InsightRow, "created_at" | "after_ms">[] {
  return insights
    .filter(({ type }) => type !== "session-summary")
    .map(({ created_at: _createdAt, after_ms: _afterMs, ...insight }) => insight);
}

/** Removes the results of a session. Returns the changed columns of the session. */
export async function removeResults(
  db: Db,
  session: SessionRow,
  now: number,
): Promise<Pick<SessionRow, "analysis_version" | "crashed" | "last_room">> {
  await replaceInsights(db, session.game_id, session.id, []);
  await updateRoomReferences(db, session, await replaceRoomTimes(db, session, new Map()));
  await replaceCrashReports(db, session, [], now);
  return { analysis_version: null, crashed: null, last_room: null };
}

/**
 * Removes everything that analyses have stored about a session, because it is deleted. Sessions whose insights rest on it are
 * queued for another analysis.
 */
export async function forgetSession(db: Db, session: SessionRow, now: number): Promise<void> {
  const { game_id, id } = session;
  await replaceInsights(db, game_id, id, []);
  const rooms = await replaceRoomTimes(db, session, new Map());
  await updateRoomReferences(db, session, rooms);
  await deleteUnusedReferences(db, session, rooms);
  await replaceCrashReports(db, session, [], now);
  await requestReanalysis(db, game_id, await unlinkCrashReports(db, session), now);
  // Its summary, which was deleted, is written again without the session.
  await queueSummaries(db, session, now);
}

async function readRecordedSession(service: Service, session: SessionRow, config: readonly EventConfigRow[]) {
  const { readDb } = service.store;
  const events = await readEvents(service, session);
  const meanings = resolveMeanings(config);
  const snapshot =
    session.snapshot === null
      ? null
      : (parseStoredJson(session.snapshot, "The state snapshot") as RecordedSession["snapshot"]);
  const feedback = await readFeedbackAnswers(service, session);
  const playerReports = await findSessionBugReports(readDb, session.game_id, session.id);
  const crashes = events.filter(({ name }) => findMeaning(name, meanings) === "crash");
  const { reports, sessionsByEvent } = await resolveCrashReports(readDb, session, crashes);
  const reportedCrashes = await readReportedCrashes(readDb, session);
  const own: RecordedSession = {
    events,
    snapshot,
    meanings,
    ended: true,
    feedback,
    transcript: session.transcript,
    playerReports,
    reportedCrashes,
    earlierCrashes: sessionsByEvent,
  };
  const hasCrashed = reportedCrashes.length > 0 || crashes.some(({ id }) => !sessionsByEvent.has(id));
  const rooms = measureRooms(own, hasCrashed);
  const slowRooms = [...rooms.times]
    .filter(([, { longest_ms }]) => longest_ms >= MIN_SLOW_MS)
    .map(([room]) => room);
  const usualRoomTimes = await readUsualRoomTimes(readDb, session, slowRooms);
  return { recorded: { ...own, usualRoomTimes }, reports, hasCrashed, rooms };
}

/** The title that the analysis gives a session, unless one was sent. */
function nameSession(session: SessionRow, title: string | null): Partial<SessionRow> {
  if (title === null || hasSentTitle(session)) return {};
  return { title, title_sent: 0, search: buildSearchText({ ...session, title }) };
}

/** What is stored about the rooms of a session. */
interface SessionRooms {
  readonly times: Map<string, RoomPlayColumns>;
  readonly last: string | null;
  /** What happened in the session; null without events. */
  readonly title: string | null;
}

function measureRooms(session: RecordedSession, hasCrashed: boolean): SessionRooms {
  const play = readPlay(session);
  const times = measureRoomTimes(play);
  const outcomes = readRoomOutcomes(session.events, play, { hasCrashed });
  const rooms = outcomes.flatMap((outcome) => {
    const { room, afterMs, activeMs, completed, failed, quit, gaveUp } = outcome;
    const time = times.get(room);
    if (time === undefined || !isStorableText(room)) return [];
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
    title: formatSessionTitle(play, outcomes, hasCrashed),
  };
}

/** The tester's answers to feedback forms in the session, in the order they arrived. */
async function readFeedbackAnswers(service: Service, session: SessionRow): Promise<FeedbackAnswer[]> {
  const submissions = await findSessionFeedback(service.store.readDb, session.game_id, session.id);
  return submissions.flatMap(({ responses }) => responses);
}

async function readEvents(service: Service, session: SessionRow): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  let batches = 0;
  for await (const batch of streamStoredEvents(service.store.readDb, session.game_id, session.id)) {
    for (const event of batch) events.push({ ...event, data: event.data ?? null });
    batches += 1;
    await nextTurn();
  }
  if (batches < session.next_batch) throw new DamagedData("A stored batch is missing");
  return events.sort((a, b) => a.timestamp - b.timestamp);
}

/** The stored findings of an AI model, without those whose tag a rule uses now. */
function keepModelFindings(
  previous: readonly InsightRow[],
  ruleFindings: readonly SessionFinding[],
): SessionFinding[] {
  const usedTags = new Set(ruleFindings.map(({ tag }) => tag));
  return previous
    .filter(({ evidence, tag }) => isModelEvidence(evidence) && !usedTags.has(tag))
    .map(({ type, sentiment, confidence, tag, title, evidence }) => ({
      type,
      sentiment,
      confidence,
      tag,
      title,
      evidence,
      claims: [],
    }));
}

function toInsightRow(
  session: SessionRow,
  { claims, afterMs, ...finding }: SessionFinding,
  createdAt: ReadonlyMap<string, number>,
  now: number,
): InsightRow {
  const { game_id, account_id, build, environment, tester } = session;
  const id = insightId(session.id, finding);
  return {
    game_id,
    account_id,
    session_id: session.id,
    build,
    environment,
    tester,
    ...finding,
    claims: JSON.stringify(claims ?? []),
    after_ms: afterMs ?? null,
    id,
    created_at: createdAt.get(id) ?? now,
  };
}

/** A stable id: the same finding keeps its id when a session is analyzed again. No session has a tag twice. */
function insightId(sessionId: string, { type, tag }: Pick<SessionFinding, "type" | "tag">): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([sessionId, type, tag]))
    .digest("hex");
  return `ins_${digest.slice(0, 24)}`;
}
