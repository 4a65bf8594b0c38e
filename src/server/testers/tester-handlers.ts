/** Testers: the rollup and sessions of one tester. */
import { HttpError } from "../../contract/errors.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { listHandles } from "../../contract/handles.ts";
import type { getCurrentTester, linkTester, unlinkTester } from "../../contract/tester-links.ts";
import {
  type listTesters,
  MAX_LISTED_BUILDS,
  MAX_LISTED_TAGS,
  type TesterItem,
} from "../../contract/tester-list.ts";
import type { getTester } from "../../contract/testers.ts";
import { groupBy } from "../../shared/group-by.ts";
import { type Handler, pageEnd, toPage } from "../accounts/handler.ts";
import { jsonList, jsonObject } from "../core/responses.ts";
import type { Db } from "../db/schema.ts";
import { findQuestions } from "../feedback/form-queries.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireIngestGame, toIngestScope } from "../games/key-game.ts";
import { requireKnownScope } from "../games/scope-queries.ts";
import { findHandle, findHandlesByDevice, resolveTester } from "../ids/tester-queries.ts";
import { describeTag } from "../insights/describe-tag.ts";
import { findHandles, removeSentHandle } from "./handle-queries.ts";
import { claimHandle, releaseHandle } from "./handles.ts";
import {
  countTesters,
  findTesterBuilds,
  findTesters,
  findTesterTags,
  type TesterFilter,
  type TesterTotals,
} from "./list-queries.ts";
import { readTesterSessions, readTesterSummary } from "./tester-queries.ts";

export const handleGetTester: Handler<typeof getTester> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const identity = await resolveTester(db, game.id, input.deviceId);
  const tester = await readTesterSessions(db, game.id, identity);
  if (!tester) throw new HttpError("not_found", { message: "The tester has no sessions" });
  const { deviceId } = identity;
  const summary =
    deviceId === null ? null : await readTesterSummary(db, game.id, deviceId, input.env ?? DEFAULT_ENV);
  return jsonObject({ game: toGame(game), rollup: tester.rollup, sessions: jsonList(tester.items), summary });
};

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
  const builds = groupBy(await findTesterBuilds(db, filter, ids), ({ tester }) => tester);
  const tags = groupBy(await findTesterTags(db, filter, ids), ({ tester }) => tester);
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

const noop = () => {};

export const handleLinkTester: Handler<typeof linkTester> = async ({ body }, { service, key }) => {
  const { gameId, claimToken, deviceId } = body;
  const { game, ...claim } = await service.commits.run(async (db) => {
    const { id } = await requireIngestGame(db, toIngestScope(key), gameId);
    return { game: id, ...(await claimHandle(db, service.now(), id, claimToken, deviceId)) };
  }, noop);
  const link = { handle: claim.handle, deviceId };
  const removeStep = () => service.commits.run((db) => removeSentHandle(db, game, link, service.now()), noop);
  while (await removeStep());
  return { ok: true, ...claim };
};

export const handleUnlinkTester: Handler<typeof unlinkTester> = async ({ body }, { service, key }) => {
  const { gameId, claimToken, deviceId } = body;
  const released = await service.commits.run(async (db) => {
    const game = await requireIngestGame(db, toIngestScope(key), gameId);
    return releaseHandle(db, game.id, claimToken, deviceId);
  }, noop);
  return { ok: true, ...released };
};

export const handleGetCurrentTester: Handler<typeof getCurrentTester> = async (input, { db, key }) => {
  const game = await requireIngestGame(db, toIngestScope(key), input.gameId);
  const row = await findHandle(db, game.id, "device_id", input.deviceId);
  return { linked: row !== undefined, handle: row?.handle ?? null, claimedAt: row?.claimed_at ?? null };
};

export const handleListHandles: Handler<typeof listHandles> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  return { game: toGame(game), handles: await findHandles(db, game.id) };
};
