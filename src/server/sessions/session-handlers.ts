/** Sessions: filtered lists, and one session in full with its insights. */
import type { Page } from "../../contract/define.ts";
import { HttpError } from "../../contract/errors.ts";
import { type listChanges, MAX_CHANGED_HOURS } from "../../contract/session-events.ts";
import {
  type FeedbackSubmission,
  type FullSession,
  type getSession,
  type listSessions,
  type Session,
  type SessionItem,
  WATCH,
} from "../../contract/sessions.ts";
import { HOUR_MS } from "../../shared/time-units.ts";
import { type Handler, pageEnd, toPage } from "../accounts/handler.ts";
import { decodeCursor, encodeCursor, jsonList, jsonObject } from "../core/responses.ts";
import type { SessionRow } from "../db/schema.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { findSessionInsights } from "../insights/insight-queries.ts";
import { type ChangePosition, findChangesAfter, findLastChange } from "./change-queries.ts";
import { findSessionFeedback } from "./feedback-queries.ts";
import { completeSessionItem } from "./list-item.ts";
import { countSessions, findSession, findSessionItems } from "./session-queries.ts";
import { findWatchedItems } from "./watch-queries.ts";

export const handleListSessions: Handler<typeof listSessions> = async (input, { db, accountId }) => {
  const { game, limit: _limit, offset: _offset, sort, ...criteria } = input;
  const gameId = game === undefined ? undefined : (await requireGame(db, accountId, game)).id;
  const filter = { accountId, gameId, ...criteria };
  const page = toPage(input);
  const items = await (sort === WATCH ? findWatchedItems : findSessionItems)(db, filter, page);
  const total = await countSessions(db, filter);
  return jsonObject<Page<SessionItem>>({
    items: jsonList<SessionItem>(items),
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
    clockJumps: Number(row.clock_jumps),
    clockShiftMs: row.clock_shift,
    feedback,
  };
}

/**
 * How much a cursor repeats, ms. A change becomes visible later than its time if its transaction takes long, if the clock
 * of another server is behind, or if it is a batch within the interval of an earlier one.
 */
const OVERLAP_MS = HOUR_MS;

/** Later than every hour. */
const LAST_HOUR = 999_999_999_999_999;

export const handleListChanges: Handler<typeof listChanges> = async ({ game: name, since }, context) => {
  const { db, accountId, service } = context;
  const game = await requireGame(db, accountId, name);
  const cursor = since === undefined ? null : parseCursor(since);
  // Later changes have later times than the last one, even if the clock is set back.
  const lastChange = (await findLastChange(db, game.id)) ?? 0;
  const next = cursor?.next ?? Math.max(0, Math.min(lastChange, service.now() - OVERLAP_MS));
  const found = cursor === null ? [] : await findChangesAfter(db, game.id, cursor, MAX_CHANGED_HOURS + 1);
  const page = found.slice(0, MAX_CHANGED_HOURS);
  const hasMore = found.length > page.length;
  const last = page.at(-1);
  return {
    game: toGame(game),
    hours: page.map(({ hour }) => hour * HOUR_MS),
    hasMore,
    cursor:
      hasMore && last !== undefined
        ? encodeCursor([last.changed_at, last.hour, next])
        : encodeCursor([next, LAST_HOUR, 0]),
  };
};

/** A position, and where the next list starts; null if this is the first page of a list. */
function parseCursor(since: string): ChangePosition & { readonly next: number | null } {
  const [changed_at, hour, next] = decodeCursor(since, 3) ?? [];
  if (changed_at === undefined || hour === undefined || next === undefined)
    throw new HttpError("bad_request", { message: `since: ${JSON.stringify(since)} is not a cursor` });
  return { changed_at, hour, next: next === 0 ? null : next };
}
