/** Testers: the rollup and sessions of one tester. */
import { HttpError } from "../../contract/errors.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { getTester } from "../../contract/testers.ts";
import type { Handler } from "../accounts/handler.ts";
import { jsonList, jsonObject } from "../core/responses.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { resolveTester } from "../ids/tester-identity.ts";
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
