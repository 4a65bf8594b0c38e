/** The builds of a game, the one played last first. */
import { type listBuilds, MAX_BUILD_ENVIRONMENTS } from "../../contract/build-list.ts";
import { compareBuildTimes } from "../../contract/build-order.ts";
import { type Handler, pageEnd, toPage } from "../accounts/handler.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/known-scope.ts";
import { readBuildEnvironments, readBuildTimes, readBuildTotals } from "./list-queries.ts";

export const handleListBuilds: Handler<typeof listBuilds> = async (input, { db, accountId, service }) => {
  const game = await requireGame(db, accountId, input.game);
  const { env = "all", from, to } = input;
  await requireKnownScope(db, game.id, { env });
  const filter = { gameId: game.id, env, from, to };
  const { limit, offset } = toPage(input);
  const times = await readBuildTimes(db, filter, service.now());
  times.sort((a, b) => compareBuildTimes(b, a));
  const versions = times.slice(offset, offset + limit).map(({ version }) => version);
  const totals = new Map(
    (await readBuildTotals(db, filter, versions)).map((build) => [build.version, build]),
  );
  const environments = await readBuildEnvironments(db, filter, versions);
  const items = versions.flatMap((version) => {
    const build = totals.get(version);
    return build
      ? [{ ...build, environments: (environments.get(version) ?? []).slice(0, MAX_BUILD_ENVIRONMENTS) }]
      : [];
  });
  return {
    game: toGame(game),
    environment: env,
    items,
    ...pageEnd(offset, items.length, times.length),
  };
};
