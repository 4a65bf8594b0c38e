/** Builds: the list, the rollup of one build, and the comparison of two builds. */

import { type listBuilds, MAX_BUILD_ENVIRONMENTS } from "../../contract/build-list.ts";
import { compareBuildTimes } from "../../contract/build-order.ts";
import type { compareBuilds, getBuild } from "../../contract/builds.ts";
import { HttpError } from "../../contract/errors.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import { type Handler, pageEnd, toPage } from "../accounts/handler.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/scope-queries.ts";
import { readBuildRollup, readBuildSummary } from "./build-queries.ts";
import { compareTwoBuilds } from "./comparison.ts";
import { readBuildEnvironments, readBuildTimes, readBuildTotals } from "./list-queries.ts";

export const handleGetBuild: Handler<typeof getBuild> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const rollup = await readBuildRollup(db, game.id, input.version);
  if (!rollup) throw new HttpError("not_found");
  const summary = await readBuildSummary(db, game.id, input.version, input.env ?? DEFAULT_ENV);
  return { game: toGame(game), rollup, summary };
};

export const handleCompareBuilds: Handler<typeof compareBuilds> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const environment = input.env ?? DEFAULT_ENV;
  for (const build of [input.a, input.b]) await requireKnownScope(db, game.id, { build });
  const scope = { gameId: game.id, environment };
  const [a, b] = [
    { ...scope, version: input.a },
    { ...scope, version: input.b },
  ];
  return { game: toGame(game), environment, ...(await compareTwoBuilds(db, a, b)) };
};

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
