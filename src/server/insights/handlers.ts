/** Insights over all sessions. */
import { HttpError } from "../../contract/errors.ts";
import type { listInsights } from "../../contract/insights.ts";
import { type Handler, pageEnd, toPage } from "../accounts/handler.ts";
import type { Db } from "../db/schema.ts";
import { requireGame } from "../games/queries.ts";
import { countInsights, findInsightItems, type InsightFilter } from "./list-queries.ts";
import { deviceExists, environmentExists, tagExists } from "./scope-queries.ts";

export const handleListInsights: Handler<typeof listInsights> = async (input, { db, accountId }) => {
  const { game, limit: _limit, offset: _offset, include, ...criteria } = input;
  const gameId = game === undefined ? undefined : (await requireGame(db, accountId, game)).id;
  const filter = { accountId, gameId, ...criteria };
  const page = toPage(input);
  const items = await findInsightItems(db, filter, page, { withEvidence: include === "evidenceIds" });
  const total = await countInsights(db, filter);
  if (total === 0) await requireKnownNames(db, filter);
  return { items, ...pageEnd(page.offset, items.length, total) };
};

/** Throws `not_found` if nothing matches because the environment, the tag or the device does not exist. */
async function requireKnownNames(db: Db, filter: InsightFilter): Promise<void> {
  const { env, tag, device } = filter;
  if (env !== undefined && env !== "all" && !(await environmentExists(db, filter, env)))
    throw new HttpError("not_found", { message: `No session is in environment "${env}"` });
  if (device !== undefined && !(await deviceExists(db, filter, device)))
    throw new HttpError("not_found", { message: `No session has device ${JSON.stringify(device)}` });
  if (tag !== undefined && !(await tagExists(db, filter, tag)))
    throw new HttpError("not_found", { message: `No insight has tag ${JSON.stringify(tag)}` });
}
