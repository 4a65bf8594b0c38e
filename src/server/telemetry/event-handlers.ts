/** Event aggregates: the counts of all event names, and the most frequent names. */
import type { listEventCounts } from "../../contract/event-counts.ts";
import { type getEvents, TOP_EVENTS } from "../../contract/events.ts";
import type { Handler } from "../accounts/handler.ts";
import { requireGame, toGame } from "../games/queries.ts";
import { readEventBuckets } from "./event-bucket-queries.ts";
import { sumEvents } from "./event-sum-queries.ts";

export const handleGetEvents: Handler<typeof getEvents> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const { build, env, from, to } = input;
  const { sessions, byName } = await sumEvents(db, { gameId: game.id, build, env, from, to });
  const top = [...byName].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return {
    game: toGame(game),
    sessionCount: sessions,
    total: top.reduce((sum, [, count]) => sum + count, 0),
    byName: Object.fromEntries(top),
    top: top.slice(0, TOP_EVENTS),
  };
};

export const handleListEventCounts: Handler<typeof listEventCounts> = async (input, { db, accountId }) => {
  const { id: gameId } = await requireGame(db, accountId, input.game);
  const { by = "day", env, from = 0, to = Number.MAX_SAFE_INTEGER } = input;
  return await readEventBuckets(db, { gameId, by, env: env === "all" ? undefined : env, from, to });
};
