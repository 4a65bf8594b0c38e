/** Lists testers with their totals. A tester is what build comparisons count: a device, or a session without one. */
import {
  type listTesters,
  MAX_LISTED_BUILDS,
  MAX_LISTED_TAGS,
  type TesterItem,
} from "../../contract/tester-list.ts";
import { type Handler, pageEnd, toPage } from "../accounts/handler.ts";
import type { Db } from "../db/schema.ts";
import { findQuestions } from "../feedback/questions.ts";
import { requireGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/known-scope.ts";
import { findHandlesByDevice } from "../ids/tester-queries.ts";
import { describeTag } from "../insights/describe-tag.ts";
import {
  countTesters,
  findTesterBuilds,
  findTesters,
  findTesterTags,
  type TesterFilter,
  type TesterTotals,
} from "./list-queries.ts";

export const handleListTesters: Handler<typeof listTesters> = async (input, { db, accountId }) => {
  const { game, limit: _limit, offset: _offset, env = "all", ...criteria } = input;
  const { id: gameId } = await requireGame(db, accountId, game);
  await requireKnownScope(db, gameId, { build: input.build, env: input.env });
  const filter: TesterFilter = { gameId, env, ...criteria };
  const page = toPage(input);
  const items = await describeTesters(db, filter, await findTesters(db, filter, page));
  return { items, ...pageEnd(page.offset, items.length, await countTesters(db, filter)) };
};

/** Adds handles, play time, builds and friction to the testers of one page. */
async function describeTesters(
  db: Db,
  filter: TesterFilter,
  testers: readonly TesterTotals[],
): Promise<TesterItem[]> {
  const ids = testers.map(({ tester }) => tester);
  const builds = groupByTester(await findTesterBuilds(db, filter, ids));
  const tags = groupByTester(await findTesterTags(db, filter, ids));
  const linked = await findHandlesByDevice(db, filter.gameId, ids);
  const questions = await findQuestions(db, filter.gameId);
  return testers.map(({ tester, sessions, firstSeen, lastSeen }) => {
    const played = builds.get(tester) ?? [];
    const versions = [...new Set(played.map(({ build }) => build))];
    const friction = tags.get(tester) ?? [];
    return {
      tester,
      handle: linked.get(tester) ?? played.find(({ handle }) => handle !== null)?.handle ?? null,
      deviceId: played[0]?.deviceId ?? null,
      sessionCount: sessions,
      activeSec: Math.round(played.reduce((sum, { activeMs }) => sum + activeMs, 0) / 1000),
      ...{ firstSeen, lastSeen },
      builds: versions.slice(0, MAX_LISTED_BUILDS),
      buildCount: versions.length,
      friction: friction.slice(0, MAX_LISTED_TAGS).map(({ tag, sessions: tagged }) => ({
        ...{ tag, title: describeTag(tag, questions).label, sessions: tagged },
      })),
      frictionCount: friction.length,
    };
  });
}

/** Groups rows by tester and keeps their order. */
function groupByTester<Row extends { readonly tester: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.tester);
    if (group) group.push(row);
    else groups.set(row.tester, [row]);
  }
  return groups;
}
