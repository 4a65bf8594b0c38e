/** Registers builds for CI. */
import type { registerBuild } from "../../contract/build-registration.ts";
import type { Handler } from "../accounts/handler.ts";
import { toKeyId } from "../accounts/keys.ts";
import { recordChange } from "../audit/audit.ts";
import { toGame } from "../games/game-queries.ts";
import { requireIngestGame, toIngestScope } from "../games/key-game.ts";
import { findBuildState, registerBuild as storeRegistration } from "./registration-queries.ts";

export const handleRegisterBuild: Handler<typeof registerBuild> = async ({ body }, { service, key }) => {
  const { gameId, version } = body;
  return await service.commits.run(async (db) => {
    const game = await requireIngestGame(db, toIngestScope(key), gameId);
    const build = { gameId: game.id, version };
    const known = (await findBuildState(db, build))?.registered_at ?? null;
    const { registered_at, hidden_at } = await storeRegistration(db, build, service.now());
    if (known === null)
      await recordChange(db, service, {
        ...{ action: "builds.register", actor: "ci", accountId: key.account_id, target: game.id },
        detail: { build: version, key: toKeyId(key.hash) },
      });
    return {
      ...{ game: toGame(game), version, registeredAt: registered_at ?? service.now() },
      ...{ isNew: known === null, isHidden: hidden_at !== null },
    };
  }, NOTHING_TO_UNDO);
};

/** Nothing outside of the database changes. */
const NOTHING_TO_UNDO = () => {};
