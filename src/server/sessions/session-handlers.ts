/** Sessions: filtered lists, and one session in full with its insights. */
import type { Page } from "../../contract/define.ts";
import { HttpError } from "../../contract/errors.ts";
import type {
  FeedbackSubmission,
  FullSession,
  getSession,
  listSessions,
  Session,
} from "../../contract/sessions.ts";
import { type Handler, pageEnd, toPage } from "../accounts/handler.ts";
import { jsonList, jsonObject } from "../core/responses.ts";
import type { SessionRow } from "../db/schema.ts";
import { requireGame } from "../games/game-queries.ts";
import { findSessionInsights } from "../insights/insight-queries.ts";
import { findSessionFeedback } from "./feedback-queries.ts";
import { completeSessionItem } from "./list-item.ts";
import { countSessions, findSession, findSessionItems } from "./session-queries.ts";

export const handleListSessions: Handler<typeof listSessions> = async (input, { db, accountId }) => {
  const { game, limit: _limit, offset: _offset, ...criteria } = input;
  const gameId = game === undefined ? undefined : (await requireGame(db, accountId, game)).id;
  const filter = { accountId, gameId, ...criteria };
  const page = toPage(input);
  const items = await findSessionItems(db, filter, page);
  const total = await countSessions(db, filter);
  return jsonObject<Page<Session>>({
    items: jsonList<Session>(items),
    ...pageEnd(page.offset, items.length, total),
  });
};

export const handleGetSession: Handler<typeof getSession> = async ({ id }, { db, accountId }) => {
  const row = await findSession(db, accountId, id);
  if (!row) throw new HttpError("not_found");
  const feedback = await findSessionFeedback(db, row.game_id, row.id);
  return {
    session: toFullSession(row, feedback),
    insights: await findSessionInsights(db, row.game_id, row.id),
  };
};

function toFullSession(row: SessionRow, feedback: FeedbackSubmission[]): FullSession {
  return {
    ...(JSON.parse(completeSessionItem(row)) as Session),
    transcript: row.transcript,
    event_counts: JSON.parse(row.event_counts) as Record<string, number>,
    summaryState: row.snapshot === null ? null : (JSON.parse(row.snapshot) as Record<string, unknown>),
    analysisVersion: row.analysis_version,
    eventsPrunedAt: row.events_pruned_at,
    error: row.status === "failed" ? row.analysis_error : null,
    feedback,
  };
}
