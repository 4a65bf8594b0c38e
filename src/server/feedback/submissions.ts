/** Stores feedback submissions. Each request id is stored only once. */
import { createHash } from "node:crypto";
import { HttpError } from "../../contract/errors.ts";
import type { FeedbackBody, FeedbackReceipt } from "../../contract/feedback.ts";
import type { FeedbackSubmission } from "../../contract/sessions.ts";
import { unknownName } from "../core/http-errors.ts";
import { toOriginal, toQuarantined } from "../db/quarantined-ids.ts";
import { findRow } from "../db/rows.ts";
import type { Db, FeedbackFormRow, FeedbackSubmissionRow, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { type IngestScope, requireIngestEnvironment } from "../games/key-game.ts";
import { queueNewData } from "../sessions/analysis-queue.ts";
import { recordSessionChange } from "../sessions/change-queries.ts";
import { lockSession, updateSession } from "../sessions/session-queries.ts";
import { rejectErasedSession } from "../sessions/tombstone-queries.ts";
import { findForm, insertSubmission, parseFields } from "./form-queries.ts";
import { checkResponses } from "./forms.ts";
import { type Sender, storeWithinBudgets, type TakeBudget } from "./within-budgets.ts";

/**
 * Stores a submission, and queues a new analysis of the session. Throws `not_found` for an unknown session, and with a
 * `reason`: `not_found` for an unknown form, `conflict` if the request id was used with other content, and `bad_request`
 * for invalid answers; and `rate_limited` if a budget is spent. Accepts answers to inactive forms, because a player may have seen the form while it was active.
 */
export async function submitAnswers(
  service: Service,
  scope: IngestScope,
  body: FeedbackBody,
  sender: Sender | null,
): Promise<FeedbackReceipt> {
  const { row, due } = await storeWithinBudgets(service, sender, (db, take) =>
    storeAnswers(db, service, scope, body, take),
  );
  if (due) service.wakeAnalysis();
  return toReceipt(row);
}

async function storeAnswers(
  db: Db,
  service: Service,
  scope: IngestScope,
  body: FeedbackBody,
  take: TakeBudget,
) {
  const session =
    (await lockSession(db, scope.accountId, body.sessionId)) ??
    // What arrives late for a quarantined session stays with it.
    (await lockSession(db, toQuarantined(scope.accountId), body.sessionId));
  if (!session || (scope.boundGameId !== null && toOriginal(session.game_id) !== scope.boundGameId)) {
    await rejectErasedSession(db, body.sessionId);
    throw unknownName("unknown_session", body.sessionId);
  }
  requireIngestEnvironment(scope, session.environment);
  const content_hash = hashContent(body);
  const submission = { game_id: session.game_id, request_id: body.requestId };
  const existing = await findRow(db, "feedback_submissions", submission);
  if (existing) return { row: requireSameContent(existing, content_hash), due: false };
  const gameId = toOriginal(session.game_id);
  const form = await findForm(db, gameId, body.formId);
  if (!form) throw unknownName("unknown_form", body.formId);
  const row = buildSubmissionRow(service, session, form, body);
  const claim = await take({ gameId, deviceId: session.device_id }, { feedback: 1 });
  if (!(await insertSubmission(db, row))) {
    claim.release();
    const other = await findRow(db, "feedback_submissions", submission);
    return { row: requireSameContent(other ?? row, content_hash), due: false };
  }
  await recordSessionChange(db, row.game_id, row.submitted_at, row.submitted_at);
  return { row, due: await queueAnalysis(db, session, service.now()) };
}

function buildSubmissionRow(
  service: Service,
  session: SessionRow,
  form: FeedbackFormRow,
  body: FeedbackBody,
): FeedbackSubmissionRow {
  const answers = checkResponses(parseFields(form), body.responses);
  const responses = answers.map((answer) => ({ id: service.newId("resp"), ...answer }));
  return {
    game_id: session.game_id,
    id: service.newId("sub"),
    form_id: form.id,
    session_id: session.id,
    request_id: body.requestId,
    content_hash: hashContent(body),
    form_name: form.name,
    responses: JSON.stringify(responses),
    asked_at_sec: body.askedAtSec ?? null,
    answered_at_sec: body.answeredAtSec ?? null,
    submitted_at: service.now(),
  };
}

/** Returns the existing submission. Throws `conflict` if its content is different. */
function requireSameContent(existing: FeedbackSubmissionRow, contentHash: string): FeedbackSubmissionRow {
  if (existing.content_hash === contentHash) return existing;
  throw new HttpError("conflict", {
    message: `requestId ${JSON.stringify(existing.request_id)} was already used with other content`,
    extra: { reason: "idempotency_conflict" },
  });
}

/** Returns the SHA-256 of a request's content in hexadecimal. Unknown fields and the request id do not count. */
function hashContent({ formId, sessionId, responses }: FeedbackBody): string {
  const content = [formId, sessionId, responses.map(({ fieldId, value }) => [fieldId, value])];
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}

/**
 * Queues a new analysis of a session, because answers and bug reports affect its insights. Returns
 * false if it is already queued, or if its events were pruned: without them, the analysis would find less.
 */
export async function queueAnalysis(db: Db, session: SessionRow, now: number): Promise<boolean> {
  const queued = session.analysis_due !== null && session.status === "pending";
  if (queued || session.status === "transcribing" || session.events_pruned_at !== null) return false;
  const state = queueNewData(session, now);
  await updateSession(db, session, state, now);
  return state.analysis_due === now;
}

function toReceipt(row: FeedbackSubmissionRow): FeedbackReceipt {
  const responses = JSON.parse(row.responses) as FeedbackSubmission["responses"];
  return {
    ok: true,
    submissionId: row.id,
    formId: row.form_id,
    sessionId: row.session_id,
    responseIds: responses.map(({ id }) => id),
  };
}
