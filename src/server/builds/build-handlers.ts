/** Builds: the list, the rollup of one build, the comparison of two builds, and registration for CI. */

import { type listBuilds, MAX_BUILD_ENVIRONMENTS } from "../../contract/build-list.ts";
import { type BuildTime, compareBuildTimes } from "../../contract/build-order.ts";
import type { registerBuild } from "../../contract/build-registration.ts";
import { type compareBuilds, type getBuild, NOT_PLAYED } from "../../contract/builds.ts";
import type { Input } from "../../contract/define.ts";
import { HttpError } from "../../contract/errors.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import { type Handler, pageEnd, toPage } from "../accounts/handler.ts";
import { toKeyId } from "../accounts/keys.ts";
import { recordChange } from "../audit/audit.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireIngestGame, toIngestScope } from "../games/key-game.ts";
import { requireKnownScope } from "../games/scope-queries.ts";
import { readBuildRollup, readBuildSummary } from "./build-queries.ts";
import { compareTwoBuilds } from "./comparison.ts";
import { readBuildEnvironments, readBuildTimes, readBuildTotals } from "./list-queries.ts";
import {
  findBuildState,
  listRegistered,
  type Registrations,
  readRegistrations,
  registerBuild as storeRegistration,
} from "./registration-queries.ts";

export const handleGetBuild: Handler<typeof getBuild> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const rollup = await readBuildRollup(db, game.id, input.version);
  if (!rollup) {
    const state = await findBuildState(db, { gameId: game.id, version: input.version });
    const isRegistered = (state?.registered_at ?? null) !== null;
    throw new HttpError("not_found", isRegistered ? { extra: { reason: NOT_PLAYED } } : {});
  }
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
  const filter = { gameId: game.id, environment: env, from, to };
  const { limit, offset } = toPage(input);
  const times = await readBuildTimes(db, filter, service.now());
  const registrations = await readRegistrations(db, game.id);
  const { listed, unregistered } = selectListed(times, registrations, input.registration);
  const versions = listed.slice(offset, offset + limit);
  const totals = new Map(
    (await readBuildTotals(db, filter, versions)).map((build) => [build.version, build]),
  );
  const environments = await readBuildEnvironments(db, filter, versions);
  const items = versions.flatMap((version) => {
    const build = totals.get(version);
    if (!build) return [];
    return {
      ...build,
      environments: (environments.get(version) ?? []).slice(0, MAX_BUILD_ENVIRONMENTS),
      registeredAt: registrations.registered.get(version) ?? null,
    };
  });
  return {
    game: toGame(game),
    environment: env,
    items,
    unregistered,
    ...pageEnd(offset, items.length, listed.length),
  };
};

/** The builds of a list, the latest first, and how many it leaves out because they are not registered. */
function selectListed(
  times: readonly BuildTime[],
  registrations: Registrations,
  chosen: ListedBy,
): { readonly listed: readonly string[]; readonly unregistered: number } {
  const { registered, hidden } = registrations;
  const played = new Set(times.map(({ version }) => version));
  const unregistered = times
    .filter(({ version }) => !registered.has(version) && !hidden.has(version))
    .sort((a, b) => compareBuildTimes(b, a))
    .map(({ version }) => version);
  const listsRegistered = (chosen ?? (registered.size > 0 ? "registered" : "unregistered")) === "registered";
  if (!listsRegistered) return { listed: unregistered, unregistered: 0 };
  return {
    listed: listRegistered(registrations).filter((version) => played.has(version)),
    unregistered: unregistered.length,
  };
}

type ListedBy = Input<typeof listBuilds>["registration"];

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
