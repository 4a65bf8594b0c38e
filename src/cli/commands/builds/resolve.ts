/** Resolves `latest` and `previous` to build versions, from the sessions of an environment. */
import type { Client } from "../../../client/client.ts";
import { ClientError } from "../../../client/errors.ts";
import { notFoundMessage } from "../../../client/not-found.ts";
import type { getBuild } from "../../../contract/builds.ts";
import type { listSessions } from "../../../contract/sessions.ts";
import { fail } from "../../errors.ts";
import type { BuildTime } from "./build-times.ts";
import { type BuildScope, findBuild, findLatest, findPrevious, toEnvFilter } from "./find-build.ts";

type BuildClient = Client<{ getBuild: typeof getBuild; listSessions: typeof listSessions }>;

/**
 * Resolves a build argument to a version: `latest` to the last in the order of builds, `previous` to the one before
 * that, anything else to itself. Throws `not_found`.
 */
export async function resolveBuild(client: BuildClient, scope: BuildScope, word: string): Promise<string> {
  if (word !== "latest" && word !== "previous") return word;
  const latest = (await findLatest(client, scope)) ?? (await failWithoutSessions(client, scope));
  return word === "latest" ? latest.version : await resolvePrevious(client, scope, latest);
}

/** Resolves a baseline argument to a version: `previous` to the build before b. Throws `not_found`. */
export async function resolveBaseline(
  client: BuildClient,
  scope: BuildScope,
  word: string,
  b: string,
): Promise<string> {
  if (word !== "previous") return await resolveBuild(client, scope, word);
  const build = await findBuild(client, scope, b);
  if (build) return await resolvePrevious(client, scope, build);
  // Played elsewhere alone, or nowhere, which fails here.
  const { rollup } = await client.getBuild({ game: scope.game, version: b });
  const at = rollup.firstSeen;
  return await resolvePrevious(client, scope, { version: b, hasReliableTime: true, at, lastAt: at });
}

async function resolvePrevious(client: BuildClient, scope: BuildScope, build: BuildTime): Promise<string> {
  const previous = await findPrevious(client, scope, build);
  if (previous) return previous.version;
  throw fail("not_found", { message: `${scope.game} has no earlier build`, hint: NAME_BUILD_HINT });
}

/**
 * What is not there, where a comparison was not found: each build is asked for by itself, so that the error names the
 * one that is missing, or the game. Other errors are answered as they are.
 */
export async function explainMissingBuild(
  error: unknown,
  client: Pick<BuildClient, "getBuild">,
  game: string,
  versions: readonly string[],
): Promise<unknown> {
  if (!(error instanceof ClientError) || error.code !== "not_found") return error;
  const missing: string[] = [];
  for (const version of new Set(versions)) {
    const found = await client.getBuild({ game, version }).then(
      () => true,
      (why: unknown) => !(why instanceof ClientError && why.code === "not_found"),
    );
    if (!found) missing.push(JSON.stringify(version));
  }
  if (missing.length === 0) return error;
  const builds = missing.length === 1 ? `build ${missing[0]}` : `builds ${missing.join(" and ")}`;
  const { status, requestId, cause } = error;
  const answer = cause instanceof ClientError ? cause : error;
  return fail("not_found", {
    message: notFoundMessage(answer, `${builds} of game ${JSON.stringify(game)}`),
    hint: "`playtest builds list` shows the game's builds, `playtest games list` the games.",
    status,
    requestId,
    cause: error,
  });
}

const NAME_BUILD_HINT = "Name a build; `playtest sessions list` shows which there are.";

/** Throws `not_found`, naming the environment where there are sessions in others. */
async function failWithoutSessions(client: BuildClient, scope: BuildScope): Promise<never> {
  const env = toEnvFilter(scope);
  const { total } = await client.listSessions({ game: scope.game, limit: 1 });
  const where = env === undefined || total === 0 ? "" : ` in ${env}`;
  const here = await client.listSessions({ game: scope.game, env, limit: 1 });
  if (here.total > 0) {
    const message = `None of the newest sessions of ${scope.game}${where} names its build, so there is no latest build`;
    throw fail("not_found", { message, hint: "Send gameVersion in sessionMetadata (docs/telemetry.md)." });
  }
  throw fail("not_found", {
    message: `${scope.game} has no sessions${where}, so no latest build`,
    hint: where === "" ? NAME_BUILD_HINT : "Name a build, or another environment with --env.",
  });
}
