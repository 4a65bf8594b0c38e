/** Handlers of the bug report endpoints. */

import { createHash } from "node:crypto";
import {
  type BugReportBody,
  type BugReportReceipt,
  DEFAULT_SEVERITY,
  type getBugReport,
  type listBugReports,
  type submitBugReport,
} from "../../contract/bug-reports.ts";
import { HttpError } from "../../contract/errors.ts";
import { DEFAULT_ENV, UNKNOWN_BUILD, UNKNOWN_PLATFORM } from "../../contract/fields.ts";
import type { Handler } from "../accounts/handler.ts";
import { unknownName } from "../core/http-errors.ts";
import { findRow } from "../db/rows.ts";
import type { BugReportRow, Db, GameRow, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { requireGame } from "../games/game-queries.ts";
import {
  type IngestScope,
  requireIngestEnvironment,
  requireIngestGame,
  toIngestScope,
} from "../games/key-game.ts";
import { createListHandler } from "../games/list-handler.ts";
import { bugReported } from "../notifications/events.ts";
import { queueEvent } from "../notifications/outbox.ts";
import { lockReceivingSession } from "../sessions/session-queries.ts";
import { rejectErasedSession } from "../sessions/tombstone-queries.ts";
import { readEnvironment } from "../telemetry/sdk-headers.ts";
import { insertBugReport, storedBugReports } from "./bug-report-queries.ts";
import { queueAnalysis } from "./submissions.ts";
import { type Sender, storeWithinBudgets, type TakeBudget } from "./within-budgets.ts";

export const handleSubmitBugReport: Handler<typeof submitBugReport> = async (
  { body },
  { service, key, headers, warnings, network, bodyBytes },
) => {
  const scope = toIngestScope(key);
  const environment = requireIngestEnvironment(scope, body.context?.environment ?? readEnvironment(headers));
  const report = { ...body, context: { ...body.context, environment } };
  const receipt = await submitReport(service, scope, report, { keyHash: key.hash, network, bodyBytes });
  return warnings.length === 0 ? receipt : { ...receipt, warnings: [...warnings] };
};

export const handleListBugReports: Handler<typeof listBugReports> =
  createListHandler<typeof listBugReports>(storedBugReports);

export const handleGetBugReport: Handler<typeof getBugReport> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const report = await storedBugReports.findById(db, game.id, input.id);
  if (!report) throw new HttpError("not_found");
  return { report };
};

/**
 * Stores a report, and queues a new analysis of its session. Throws `not_found` for an unknown game or session, and
 * `conflict` if the idempotency key was used with other content.
 */
async function submitReport(
  service: Service,
  scope: IngestScope,
  body: BugReportBody,
  sender: Sender,
): Promise<BugReportReceipt> {
  const { row, isRepeat, due, isQueued } = await storeWithinBudgets(service, sender, (db, take) =>
    storeReport(db, service, scope, body, take),
  );
  if (due) service.wakeAnalysis();
  if (isQueued) service.wakeDeliveries();
  return { ok: true, bugReportId: row.id, routingStatus: "stored_only", idempotent: isRepeat };
}

async function storeReport(
  db: Db,
  service: Service,
  scope: IngestScope,
  body: BugReportBody,
  take: TakeBudget,
) {
  const game = await requireIngestGame(db, scope, body.gameId);
  const session = await findReportedSession(db, game, body.sessionId);
  const row = buildRow(service, game, session, body);
  for (const environment of [row.environment, session?.environment])
    requireIngestEnvironment(scope, environment);
  const claim = await take({ gameId: game.id, deviceId: session?.device_id ?? null }, { "bug-reports": 1 });
  if (!(await insertBugReport(db, row))) {
    claim.release();
    const existing =
      (await findRow(db, "bug_reports", { game_id: row.game_id, idempotency_key: row.idempotency_key })) ??
      row;
    return {
      row: requireSameContent(existing, row.content_hash),
      isRepeat: true,
      due: false,
      isQueued: false,
    };
  }
  const due = session !== null && (await queueAnalysis(db, session, service.now()));
  const isQueued = await queueEvent(
    db,
    service,
    { account_id: session?.account_id ?? game.account_id, game_id: row.game_id },
    "bug-report",
    () => bugReported(row),
  );
  return { row, isRepeat: false, due, isQueued };
}

/** Finds and locks the session of a report; null if it names none. Throws `not_found` for an unknown session. */
async function findReportedSession(
  db: Db,
  game: GameRow,
  sessionId: string | undefined,
): Promise<SessionRow | null> {
  if (sessionId === undefined) return null;
  const session = await lockReceivingSession(db, game.id, sessionId);
  if (session) return session;
  await rejectErasedSession(db, sessionId);
  throw unknownName("unknown_session", sessionId);
}

function buildRow(
  service: Service,
  game: GameRow,
  session: SessionRow | null,
  { context = {}, ...body }: BugReportBody,
): BugReportRow {
  const metadata = session ? (JSON.parse(session.metadata) as { platform?: string }) : {};
  return {
    game_id: session?.game_id ?? game.id,
    id: service.newId("bug"),
    session_id: session?.id ?? null,
    idempotency_key: body.idempotencyKey,
    content_hash: hashContent(body),
    title: body.title,
    description: body.description,
    severity: body.severity ?? DEFAULT_SEVERITY,
    player_id: body.playerId ?? null,
    build: context.buildVersion ?? session?.build ?? UNKNOWN_BUILD,
    environment: context.environment ?? session?.environment ?? DEFAULT_ENV,
    platform: context.platform ?? metadata.platform ?? UNKNOWN_PLATFORM,
    device: JSON.stringify(context.device ?? {}),
    created_at: service.now(),
  };
}

/** Returns the SHA-256 of what the player wrote, in hexadecimal. The context may differ between repeats. */
function hashContent({ title, description, severity, sessionId, playerId }: BugReportBody): string {
  const content = [title, description, severity ?? DEFAULT_SEVERITY, sessionId ?? null, playerId ?? null];
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}

/** Returns the existing report. Throws `conflict` if its content is different. */
function requireSameContent(existing: BugReportRow, contentHash: string): BugReportRow {
  if (existing.content_hash === contentHash) return existing;
  const message = `idempotencyKey ${JSON.stringify(existing.idempotency_key)} was already used with other content`;
  throw new HttpError("conflict", { message, extra: { reason: "idempotency_conflict", message } });
}
