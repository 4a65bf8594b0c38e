/** The drop-off of a build. */
import type { getBuildDropoff } from "../../contract/dropoff.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { Handler } from "../accounts/handler.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/scope-queries.ts";
import { countDropoff, countNotBack } from "./dropoff.ts";
import { readSessionEnds } from "./read-ends.ts";
import { readLastPlayed } from "./session-queries.ts";

export const handleGetBuildDropoff: Handler<typeof getBuildDropoff> = async (input, { db, accountId }) => {
  const { version, env: environment = DEFAULT_ENV } = input;
  const game = await requireGame(db, accountId, input.game);
  await requireKnownScope(db, game.id, { build: version, env: environment });
  const scope = { gameId: game.id, build: version, environment };
  const { ends, sessions } = await readSessionEnds(db, scope);
  const devices = [...new Set(ends.flatMap(({ deviceId }) => deviceId ?? []))];
  const lastPlayed = await readLastPlayed(db, scope, devices);
  return {
    game: toGame(game),
    version,
    environment,
    sessions,
    testers: { read: devices.length, notBack: countNotBack(ends, lastPlayed) },
    rooms: countDropoff(ends, lastPlayed),
  };
};
