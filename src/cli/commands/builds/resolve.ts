/** Resolves `latest` and `previous` to build versions, from the sessions of an environment. */
import type { AnnouncingClient } from "../../../client/client.ts";
import { ClientError } from "../../../client/errors.ts";
import { notFoundMessage } from "../../../client/not-found.ts";
import type { ListedBuild } from "../../../contract/build-list.ts";
import { type BuildTime, isKnownBuild, MIN_COMPARED_TESTERS } from "../../../contract/build-order.ts";
import { MAX_PAGE_SIZE } from "../../../contract/fields.ts";
import { describeSkipped, findBefore, isBuildWord, type OrderedBuild } from "../../../shared/build-words.ts";
import { formatName } from "../../../shared/similar-names.ts";
import type { Context } from "../../context.ts";
import { type CliError, fail } from "../../errors.ts";
import { formatFlag } from "../../suggested-commands.ts";
import type { buildEndpoints } from "./endpoints.ts";
import { type BuildScope, findBuild, findEarlier, findLatest, toEnvFilter } from "./find-build.ts";

type BuildClient = AnnouncingClient<Pick<typeof buildEndpoints, "listBuilds" | "getBuild" | "listSessions">>;

/**
 * Resolves a build argument to a version: `latest` to the last in the order of builds, `previous` to the one before it.
 * Any other argument is a version and is returned unchanged. Throws `not_found`.
 */
export const resolveBuild = async (client: BuildClient, scope: BuildScope, word: string): Promise<string> =>
  isBuildWord(word)
    ? await resolveWord(readOnce(client), scope, word, await listBuilds(client, scope))
    : word;

/** Resolves two arguments: `previous` as a baseline is the build before b. Throws `not_found`. */
export async function resolvePair(
  service: BuildClient,
  scope: BuildScope,
  { a, b }: { readonly a: string; readonly b: string },
): Promise<{ readonly a: string; readonly b: string }> {
  if (!isBuildWord(a) && !isBuildWord(b)) return { a, b };
  const client = readOnce(service);
  const listing = await listBuilds(client, scope);
  const after = isBuildWord(b) ? await resolveWord(client, scope, b, listing) : b;
  if (!isBuildWord(a)) return { a, b: after };
  if (a === "latest") return { a: await resolveWord(client, scope, a, listing), b: after };
  return { a: await resolveBefore(client, scope, after, listing), b: after };
}

/** A client that requests no page of sessions again: two words are often found in the same ones. */
function readOnce(client: BuildClient): BuildClient {
  const pages = new Map<string, ReturnType<BuildClient["listSessions"]>>();
  const listSessions: BuildClient["listSessions"] = (query) => {
    const key = JSON.stringify(query);
    const page = pages.get(key) ?? client.listSessions(query);
    pages.set(key, page);
    return page;
  };
  return { ...client, listSessions };
}

/** The scope of a command, which prints notes about `previous`. */
export const createBuildScope = (context: Context, game: string, env: string | undefined): BuildScope => ({
  ...{ game, env, now: context.io.now() },
  notify: (note) => context.notify(note),
});

/** The builds of an environment as the service lists them. */
interface BuildListing {
  /** The latest one first. Empty if the service does not list them, or knows no such environment: then the sessions decide. */
  readonly builds: readonly ListedBuild[];
  /** Whether the game has registered builds, so that no others are considered. */
  readonly isRegistered: boolean;
}

/** A build that is named by its place in the order of builds. */
async function resolveWord(
  client: BuildClient,
  scope: BuildScope,
  word: "latest" | "previous",
  listing: BuildListing,
): Promise<string> {
  const [latest] = listing.builds;
  if (latest)
    return word === "latest" ? latest.version : await resolveBefore(client, scope, latest.version, listing);
  if (listing.isRegistered) throw failUnplayed(scope);
  const played = (await findLatest(client, scope)) ?? (await failWithoutSessions(client, scope));
  return word === "latest" ? played.version : await resolvePrevious(client, scope, played);
}

async function resolveBefore(
  client: BuildClient,
  scope: BuildScope,
  b: string,
  listing: BuildListing,
): Promise<string> {
  const { builds, isRegistered } = listing;
  const at = builds.findIndex(({ version }) => version === b);
  const earlier = at < 0 ? [] : builds.slice(at + 1);
  if (earlier.length > 0) return await pickBefore(scope, earlier, b);
  if (isRegistered) return await pickBefore(scope, await listEarlier(client, scope, { b, builds }), b, true);
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

/** The registered builds of the environment before b, which is not one of them: it may be played only in others. */
async function listEarlier(
  client: BuildClient,
  scope: BuildScope,
  { b, builds }: { readonly b: string } & Pick<BuildListing, "builds">,
): Promise<readonly ListedBuild[]> {
  // If the build does not exist, this request fails.
  await client.getBuild({ game: scope.game, version: b });
  const known = (await listRegistered(client, scope.game)).find(({ version }) => version === b);
  const registeredAt = known?.registeredAt ?? null;
  if (registeredAt === null) {
    await scope.notify?.(`${b} is not registered, so it counts as later than all registered builds.`);
    return builds;
  }
  const registered = await listRegistered(client, scope.game, toEnvFilter(scope));
  return registered.filter((build) => (build.registeredAt ?? 0) < registeredAt);
}

/** All registered builds with sessions in an environment, the latest one first. */
async function listRegistered(client: BuildClient, game: string, env?: string): Promise<ListedBuild[]> {
  const registration = "registered";
  const builds: ListedBuild[] = [];
  for (;;) {
    const page = { limit: MAX_PAGE_SIZE, offset: builds.length };
    const { items, hasMore } = await client.listBuilds({ game, env, registration, ...page });
    builds.push(...items);
    if (!hasMore || items.length === 0) return builds;
  }
}

/** The last builds of the environment. */
async function listBuilds(client: BuildClient, scope: BuildScope): Promise<BuildListing> {
  const none = { builds: [], isRegistered: false };
  if (!(await client.announces("listBuilds"))) return none;
  const { game } = scope;
  try {
    const query = { game, env: toEnvFilter(scope), limit: MAX_PAGE_SIZE };
    const { items, unregistered } = await client.listBuilds(query);
    const builds = items.filter(isKnownBuild);
    const hasRegistered = builds.some(({ registeredAt }) => (registeredAt ?? null) !== null);
    return { builds, isRegistered: hasRegistered || (unregistered ?? 0) > 0 };
  } catch (error) {
    if (error instanceof ClientError && error.code === "not_found") return none;
    throw error;
  }
}

async function resolvePrevious(client: BuildClient, scope: BuildScope, build: BuildTime): Promise<string> {
  return await pickBefore(scope, await findEarlier(client, scope, build), build.version);
}

/** The last of the builds before b that has enough testers. Throws `not_found` if there is none before b. */
async function pickBefore(
  scope: BuildScope,
  earlier: readonly OrderedBuild[],
  b: string,
  isRegistered = false,
): Promise<string> {
  const { game, minTesters = MIN_COMPARED_TESTERS, notify } = scope;
  const before = findBefore(earlier, minTesters);
  if (before) {
    const note = describeSkipped(before, minTesters);
    if (note !== null) await notify?.(note);
    return before.version;
  }
  throw fail("not_found", {
    message: `Game ${JSON.stringify(game)} has no build before ${JSON.stringify(b)}${describeLocation(scope)}`,
    hint: isRegistered
      ? "Specify a build, or register an earlier one with `playtest admin builds adopt <version>`."
      : suggestBuild(scope),
  });
}

/** The environment after what is in it, such as ` in staging`; empty for all environments. */
function describeLocation(scope: BuildScope): string {
  const env = toEnvFilter(scope);
  return env === undefined ? "" : ` in ${env}`;
}

/** Builds are registered, but none of them was played in the environment. */
function failUnplayed(scope: BuildScope): CliError {
  return fail("not_found", {
    message: `No latest build: no registered build of game ${JSON.stringify(scope.game)} has sessions${describeLocation(scope)}`,
    hint: "Specify a build, or register one that was played with `playtest admin builds adopt <version>`.",
  });
}

/**
 * Returns a handler that rethrows the error of a request. It turns a 404 into an error that names the missing builds or the
 * missing game, by requesting them. Other errors remain unchanged, and so does the 404 if nothing is missing any more.
 */
export const explainMissing =
  (client: Pick<BuildClient, "getBuild" | "listSessions">, game: string, versions: readonly string[]) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof ClientError) || error.code !== "not_found") throw error;
    const { status, requestId, cause } = error;
    const serviceError = cause instanceof ClientError ? cause : error;
    const failMissing = (what: string, hint: string) =>
      fail("not_found", {
        message: notFoundMessage(serviceError, what),
        hint,
        status,
        requestId,
        cause: error,
      });
    if (await isMissing(client.listSessions({ game, limit: 1 })))
      throw failMissing(
        `game ${formatName(game)}`,
        "Run `playtest games list` to see the games this key can read.",
      );
    const missing: string[] = [];
    for (const version of new Set(versions)) {
      if (await isMissing(client.getBuild({ game, version }))) missing.push(formatName(version));
    }
    if (missing.length === 0) throw error;
    const builds = missing.length === 1 ? `build ${missing[0]}` : `builds ${missing.join(" and ")}`;
    throw failMissing(
      `${builds} in ${formatName(game)}`,
      `Run \`playtest builds list${formatFlag("--game", game)}\` to see the game's builds.`,
    );
  };

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
  return `Specify a build. Run \`playtest builds list${formatFlag("--game", scope.game)}${flags}\` to see the game's builds${describeLocation(scope)}.`;
}

/** Throws `not_found`. Names the environment only if the game has sessions in other environments. */
async function failWithoutSessions(client: BuildClient, scope: BuildScope): Promise<never> {
  const env = toEnvFilter(scope);
  const { total } = await client.listSessions({ game: scope.game, limit: 1 });
  const location = total === 0 ? "" : describeLocation(scope);
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
