/** Resolves `latest` and `previous` to build versions, from the sessions of an environment. */
import type { AnnouncingClient } from "../../../client/client.ts";
import { ClientError } from "../../../client/errors.ts";
import { notFoundMessage } from "../../../client/not-found.ts";
import type { listBuilds } from "../../../contract/build-list.ts";
import { type BuildTime, isKnownBuild } from "../../../contract/build-order.ts";
import type { getBuild } from "../../../contract/builds.ts";
import { MAX_PAGE_SIZE } from "../../../contract/fields.ts";
import type { listSessions } from "../../../contract/sessions.ts";
import { isBuildWord } from "../../../shared/build-words.ts";
import { formatName } from "../../../shared/similar-names.ts";
import { fail } from "../../errors.ts";
import { formatFlag } from "../../suggested-commands.ts";
import { type BuildScope, findBuild, findLatest, findPrevious, toEnvFilter } from "./find-build.ts";

type BuildClient = AnnouncingClient<{
  listBuilds: typeof listBuilds;
  getBuild: typeof getBuild;
  listSessions: typeof listSessions;
}>;

/**
 * Resolves a build argument to a version: `latest` to the last in the order of builds, `previous` to the one before it.
 * Any other argument is a version and is returned unchanged. Throws `not_found`.
 */
export const resolveBuild = async (client: BuildClient, scope: BuildScope, word: string): Promise<string> =>
  isBuildWord(word) ? await resolveWord(client, scope, word, await listVersions(client, scope)) : word;

/** Resolves two arguments: `previous` as a baseline is the build before b. Throws `not_found`. */
export async function resolvePair(
  client: BuildClient,
  scope: BuildScope,
  { a, b }: { readonly a: string; readonly b: string },
): Promise<{ readonly a: string; readonly b: string }> {
  if (!isBuildWord(a) && !isBuildWord(b)) return { a, b };
  const listed = await listVersions(client, scope);
  const after = isBuildWord(b) ? await resolveWord(client, scope, b, listed) : b;
  if (!isBuildWord(a)) return { a, b: after };
  if (a === "latest") return { a: await resolveWord(client, scope, a, listed), b: after };
  return { a: await resolveBefore(client, scope, after, listed), b: after };
}

/** Whether a build is named by its place in the order of builds. */
async function resolveWord(
  client: BuildClient,
  scope: BuildScope,
  word: string,
  listed: readonly string[],
): Promise<string> {
  const found = listed[word === "latest" ? 0 : 1];
  if (found !== undefined) return found;
  const latest = (await findLatest(client, scope)) ?? (await failWithoutSessions(client, scope));
  return word === "latest" ? latest.version : await resolvePrevious(client, scope, latest);
}

/** The build before b. */
async function resolveBefore(
  client: BuildClient,
  scope: BuildScope,
  b: string,
  listed: readonly string[],
): Promise<string> {
  const before = listed.includes(b) ? listed[listed.indexOf(b) + 1] : undefined;
  if (before !== undefined) return before;
  // The build may have sessions only in other environments.
  const build = (await findBuild(client, scope, b)) ?? (await findBuild(client, { ...scope, env: "all" }, b));
  if (build) return await resolvePrevious(client, scope, build);
  // If the build does not exist, this request fails. Otherwise, its first sessions have just arrived.
  await client.getBuild({ game: scope.game, version: b });
  return await resolvePrevious(client, scope, {
    version: b,
    hasReliableTime: true,
    at: scope.now,
    lastAt: scope.now,
  });
}

/**
 * The last builds of the environment as the service lists them, the latest first. Empty if it does not list them, or knows no
 * such environment: then the sessions decide.
 */
async function listVersions(client: BuildClient, scope: BuildScope): Promise<readonly string[]> {
  if (!(await client.announces("listBuilds"))) return [];
  const { game } = scope;
  try {
    const { items } = await client.listBuilds({ game, env: toEnvFilter(scope), limit: MAX_PAGE_SIZE });
    return items.filter(isKnownBuild).map(({ version }) => version);
  } catch (error) {
    if (error instanceof ClientError && error.code === "not_found") return [];
    throw error;
  }
}

async function resolvePrevious(client: BuildClient, scope: BuildScope, build: BuildTime): Promise<string> {
  const previous = await findPrevious(client, scope, build);
  if (previous) return previous.version;
  const env = toEnvFilter(scope);
  throw fail("not_found", {
    message: `Game ${JSON.stringify(scope.game)} has no build before ${JSON.stringify(build.version)}${env === undefined ? "" : ` in ${env}`}`,
    hint: suggestBuild(scope),
  });
}

/**
 * Turns the 404 of a comparison into an error that names the missing builds or the missing game, by requesting them.
 * Returns any other error unchanged, and the 404 too if nothing is missing any more.
 */
export async function explainMissingBuild(
  error: unknown,
  client: Pick<BuildClient, "getBuild" | "listSessions">,
  game: string,
  versions: readonly string[],
): Promise<unknown> {
  if (!(error instanceof ClientError) || error.code !== "not_found") return error;
  const { status, requestId, cause } = error;
  const serviceError = cause instanceof ClientError ? cause : error;
  if (await isMissing(client.listSessions({ game, limit: 1 }))) {
    return fail("not_found", {
      message: notFoundMessage(serviceError, `game ${formatName(game)}`),
      hint: "Run `playtest games list` to see the games this key can read.",
      status,
      requestId,
      cause: error,
    });
  }
  const missing: string[] = [];
  for (const version of new Set(versions)) {
    if (await isMissing(client.getBuild({ game, version }))) missing.push(formatName(version));
  }
  if (missing.length === 0) return error;
  const builds = missing.length === 1 ? `build ${missing[0]}` : `builds ${missing.join(" and ")}`;
  return fail("not_found", {
    message: notFoundMessage(serviceError, `${builds} in ${formatName(game)}`),
    hint: `Run \`playtest builds list${formatFlag("--game", game)}\` to see the game's builds.`,
    status,
    requestId,
    cause: error,
  });
}

/** Whether a request fails because something does not exist. */
const isMissing = (request: Promise<unknown>): Promise<boolean> =>
  request.then(
    () => false,
    (failure: unknown) => failure instanceof ClientError && failure.code === "not_found",
  );

/** Suggests to specify a build, with a command that lists the builds of the same scope. */
function suggestBuild(scope: BuildScope): string {
  const env = toEnvFilter(scope);
  const flags = env === undefined ? "" : formatFlag("--env", env);
  const where = env === undefined ? "" : ` in ${env}`;
  return `Specify a build. Run \`playtest builds list${formatFlag("--game", scope.game)}${flags}\` to see the game's builds${where}.`;
}

/** Throws `not_found`. Names the environment only if the game has sessions in other environments. */
async function failWithoutSessions(client: BuildClient, scope: BuildScope): Promise<never> {
  const env = toEnvFilter(scope);
  const { total } = await client.listSessions({ game: scope.game, limit: 1 });
  const location = env === undefined || total === 0 ? "" : ` in ${env}`;
  const inEnvironment = await client.listSessions({ game: scope.game, env, limit: 1 });
  const game = `game ${JSON.stringify(scope.game)}`;
  if (inEnvironment.total > 0) {
    const message = `No latest build: none of the newest sessions of ${game}${location} has a build version`;
    throw fail("not_found", {
      message,
      hint: "Send gameVersion in sessionMetadata (docs/guide/send-telemetry.md).",
    });
  }
  throw fail("not_found", {
    message: `No latest build: ${game} has no sessions${location}`,
    hint:
      location === ""
        ? suggestBuild({ ...scope, env: "all" })
        : "Specify a build, or another environment with --env.",
  });
}
