/** Tester links: links a device to a handle, unlinks it, and returns the current link. */
import type { getCurrentTester, linkTester, unlinkTester } from "../../contract/tester-links.ts";
import type { Handler } from "../accounts/handler.ts";
import { requireIngestGame, toIngestScope } from "../games/key-game.ts";
import { findHandle } from "../ids/tester-queries.ts";
import { claimHandle, releaseHandle } from "./handles.ts";

const noop = () => {};

export const handleLinkTester: Handler<typeof linkTester> = async ({ body }, { service, key }) => {
  const { gameId, claimToken, deviceId } = body;
  const claim = await service.commits.run(async (db) => {
    const game = await requireIngestGame(db, toIngestScope(key), gameId);
    return claimHandle(db, service.now(), game.id, claimToken, deviceId);
  }, noop);
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
