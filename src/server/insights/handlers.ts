/** Insights over all sessions. */
import type { listInsights } from "../../contract/insights.ts";
import { type Handler, pageEnd, toPage } from "../accounts/handler.ts";
import { requireGame } from "../games/queries.ts";
import { countInsights, findInsightItems } from "./queries.ts";

export const handleListInsights: Handler<typeof listInsights> = async (input, { db, accountId }) => {
  const { game, limit: _limit, offset: _offset, ...criteria } = input;
  const gameId = game === undefined ? undefined : (await requireGame(db, accountId, game)).id;
  const filter = { accountId, gameId, ...criteria };
  const page = toPage(input);
  const items = await findInsightItems(db, filter, page);
  const total = await countInsights(db, filter);
  return { items, ...pageEnd(page.offset, items.length, total) };
};
