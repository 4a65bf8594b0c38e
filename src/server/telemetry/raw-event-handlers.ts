/** Lists the stored events of a game in the order of arrival. */
import {
  ARRIVAL_SETTLING_MS,
  type listRawEvents,
  MAX_RAW_EVENT_PAGE_SIZE,
  type RawEvent,
  type RawEventPage,
} from "../../contract/raw-events.ts";
import type { Handler } from "../accounts/handler.ts";
import { badRequest } from "../core/bad-request.ts";
import { jsonList, jsonObject } from "../core/responses.ts";
import { requireGame } from "../games/queries.ts";
import { decodePlace, encodePlace, readRawEvents } from "./raw-events.ts";

export const handleListRawEvents: Handler<typeof listRawEvents> = async (
  query,
  { db, accountId, service },
) => {
  const { build, env, event, from = 0, to, cursor, limit = MAX_RAW_EVENT_PAGE_SIZE } = query;
  const game = await requireGame(db, accountId, query.game);
  const start = cursor === undefined ? null : decodePlace(cursor);
  if (cursor !== undefined && start === null) {
    const message = "must be the `next` of an earlier response";
    throw badRequest([{ path: ["cursor"], code: "invalid_value", message }]);
  }
  const first = { receivedAt: from, sessionId: "", seq: 0, index: 0 };
  const { items, next, unreadable } = await readRawEvents(db, game.id, {
    start: start === null || start.receivedAt < from ? first : start,
    to,
    limit: Math.min(limit, MAX_RAW_EVENT_PAGE_SIZE),
    filter: { build, env: env === "all" ? undefined : env, event },
  });
  return jsonObject<RawEventPage>({
    items: jsonList<RawEvent>(items),
    next: next === null ? null : encodePlace(next),
    unreadable,
    settledUntil: Math.max(0, service.now() - ARRIVAL_SETTLING_MS),
  });
};
