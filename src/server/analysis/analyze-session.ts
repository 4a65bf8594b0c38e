/** Analyzes one claimed session: has the rules applied, asks the AI model if it is to be asked, and stores the results. */
import { createHash } from "node:crypto";
import { findChangedRows } from "../db/rows.ts";
import type { Db, InsightRow, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { findInsightRows, replaceInsights } from "../insights/insight-queries.ts";
import { QUIET_MS } from "../sessions/analysis-queue.ts";
import { buildSearchText } from "../sessions/list-item.ts";
import { hasSentTitle } from "../telemetry/find-session.ts";
import { applyRulesTask } from "./apply-rules.ts";
import { unlinkCrashReports } from "./crash-report-queries.ts";
import { replaceCrashReports, requeueEarlyReports } from "./crash-reports.ts";
import { addModelFindings, isModelEvidence } from "./model-analyst.ts";
import { findChatModel } from "./provider/provider-queries.ts";
import { requestReanalysis } from "./queue-queries.ts";
import type { SessionFinding } from "./recorded-session.ts";
import { deleteUnusedReferences } from "./room-reference-queries.ts";
import { updateRoomReferences } from "./room-references.ts";
import { replaceRoomTimes } from "./room-time-queries.ts";
import { queueSummaries } from "./summary-queue-queries.ts";
import { ANALYSIS_VERSION } from "./version.ts";

interface AnalysisResults {
  /** Stores them in one transaction, and returns the changed columns of the session. */
  readonly store: (db: Db) => Promise<Partial<SessionRow>>;
  readonly insights: readonly InsightRow[];
  /** Whether they differ from the stored insights, other than the summary. */
  readonly hasChanged: boolean;
  /** Whether the session has another active time than before, which summaries contain. */
  readonly hasOtherLength: boolean;
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
  const { readDb } = service.store;
  const found = await service.work.run(applyRulesTask, { session, asksModel: enriches });
  const previous = await findInsightRows(readDb, session.game_id, session.id);
  const findings =
    found.material === null
      ? [...found.findings, ...keepModelFindings(previous, found.findings)]
      : await addModelFindings(service, session, found.material, found.findings);
  const asksModel = !repeats && !found.isEmpty && (await needsModel(readDb, session));
  const now = service.now();
  const createdAt = new Map(repeats ? previous.map(({ id, created_at }) => [id, created_at]) : []);
  const rows = findings.map((finding) => toInsightRow(session, finding, createdAt, now));
  const store = async (db: Db) => {
    await replaceInsights(db, session.game_id, session.id, rows);
    await updateRoomReferences(db, session, await replaceRoomTimes(db, session, found.rooms.times));
    await replaceCrashReports(db, session, found.reports, now);
    await requeueEarlyReports(db, session, now);
    return {
      ...{ wall_ms: found.wallMs, active_ms: found.activeMs },
      ...{ clock_jumps: found.clockJumps, jump_ms: found.jumpMs },
      performance: found.performance === null ? null : JSON.stringify(found.performance),
      ...{
        analysis_version: ANALYSIS_VERSION,
        crashed: Number(found.hasCrashed),
        last_room: found.rooms.last,
      },
      ...nameSession(session, found.rooms.title),
      ...(asksModel ? { enrichment_due: now + QUIET_MS } : {}),
    };
  };
  const hasChanged = findChangedRows(toComparable(previous), toComparable(rows)).length > 0;
  return { store, insights: rows, hasChanged, hasOtherLength: found.activeMs !== session.active_ms };
}

/** Whether a model is to be asked about a session: if the account has one, and it was not asked after an analysis of this version. */
export async function needsModel(db: Db, { account_id, enriched_version }: SessionRow): Promise<boolean> {
  return enriched_version !== ANALYSIS_VERSION && (await findChatModel(db, account_id)) !== null;
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

/** The title that the analysis gives a session, unless one was sent. */
function nameSession(session: SessionRow, title: string | null): Partial<SessionRow> {
  if (title === null || hasSentTitle(session)) return {};
  return { title, title_sent: 0, search: buildSearchText({ ...session, title }) };
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
