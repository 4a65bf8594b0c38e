/** Insights over all sessions. */
import { HttpError } from "../../contract/errors.ts";
import type { listInsights } from "../../contract/insights.ts";
import { describeNearest } from "../../shared/similar-names.ts";
import { type Handler, pageEnd, toPage } from "../accounts/handler.ts";
import { unknownFilterError } from "../core/http-errors.ts";
import type { Db } from "../db/schema.ts";
import { requireGame } from "../games/game-queries.ts";
import { requireKnownEnvironment } from "../games/scope-queries.ts";
import type { TesterSessionFilter } from "../ids/tester-queries.ts";
import { resolveTester } from "../ids/tester-queries.ts";
import { deviceExists, findGameIds, findTags, tagExists } from "./insight-queries.ts";
import { countInsights, findInsightItems, type InsightFilter } from "./list-queries.ts";

export const handleListInsights: Handler<typeof listInsights> = async (input, { db, accountId }) => {
  const { game, device, limit: _limit, offset: _offset, include, ...criteria } = input;
  const gameId = game === undefined ? undefined : (await requireGame(db, accountId, game)).id;
  const tester = device === undefined ? undefined : await findTesterFilter(db, { accountId, gameId }, device);
  const filter = { accountId, gameId, tester, ...criteria };
  const page = toPage(input);
  const items = await findInsightItems(db, filter, page, include);
  const total = await countInsights(db, filter);
  if (total === 0) await requireKnownNames(db, filter);
  return { items, ...pageEnd(page.offset, items.length, total) };
};

type Scope = Pick<InsightFilter, "accountId" | "gameId">;

/**
 * The sessions of a tester: in a game, those that `getTester` finds. Over all games, only those of a device, because a
 * handle can be another tester in each game. Throws `not_found` if there is no such tester.
 */
async function findTesterFilter(
  db: Db,
  { accountId, gameId }: Scope,
  name: string,
): Promise<TesterSessionFilter> {
  if (gameId === undefined) {
    const gameIds = await findGameIds(db, accountId);
    if (gameIds.length > 0 && (await deviceExists(db, gameIds, name)))
      return { column: "device_id", value: name };
    throw unknownTesterError(`Device ${JSON.stringify(name)} not found in any game`);
  }
  try {
    return (await resolveTester(db, gameId, name)).sessionFilter;
  } catch (error) {
    if (error instanceof HttpError && error.code === "not_found")
      throw unknownTesterError(`Tester ${JSON.stringify(name)} not found`);
    throw error;
  }
}

const unknownTesterError = (message: string) => unknownFilterError("unknown_tester", message);

/** Throws `not_found` if nothing matches because the environment or the tag does not exist. */
async function requireKnownNames(db: Db, { accountId, gameId, env, tag }: InsightFilter): Promise<void> {
  const gameIds = gameId === undefined ? await findGameIds(db, accountId) : [gameId];
  if (gameIds.length === 0) return;
  await requireKnownEnvironment(db, gameIds, env);
  if (tag === undefined || (await tagExists(db, gameIds, tag))) return;
  const nearest = describeNearest(tag, await findTags(db, gameIds), "tags", "There are no insights");
  throw unknownFilterError(
    "unknown_tag",
    `Tag ${JSON.stringify(tag)} not found: no insight has it. ${nearest}`,
  );
}
