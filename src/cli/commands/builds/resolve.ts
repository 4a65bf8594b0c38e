/** Builds by name: `latest` and `previous` stand for what the sessions show. */
import type { Client } from "../../../client/client.ts";
import type { getBuild } from "../../../contract/builds.ts";
import { ApiError, fail } from "../../../contract/errors.ts";
import type { listSessions } from "../../../contract/sessions.ts";

type BuildClient = Client<{ getBuild: typeof getBuild; listSessions: typeof listSessions }>;

/**
 * The build that a word stands for: itself, for `latest` that of the newest session, for `previous` the one before
 * that. Throws `not_found`.
 */
export async function resolveBuild(client: BuildClient, game: string, word: string): Promise<string> {
  if (word !== "latest" && word !== "previous") return word;
  const latest = await newestBuild(client, game, undefined);
  return word === "latest" ? latest : await resolveBaseline(client, game, word, latest);
}

/** The baseline that a word stands for: for `previous` the build of the newest session before b was first seen. */
export async function resolveBaseline(
  client: BuildClient,
  game: string,
  word: string,
  b: string,
): Promise<string> {
  if (word !== "previous") return await resolveBuild(client, game, word);
  const { rollup } = await client.getBuild({ game, version: b });
  return await newestBuild(client, game, rollup.firstSeen - 1);
}

/**
 * What is not there, where a comparison was not found: each build is asked for by itself, so that the error names the
 * one that is missing, or the game. Other errors are answered as they are.
 */
export async function missingSide(
  error: unknown,
  client: Pick<BuildClient, "getBuild">,
  game: string,
  versions: readonly string[],
): Promise<unknown> {
  if (!(error instanceof ApiError) || error.code !== "not_found") return error;
  const missing: string[] = [];
  for (const version of new Set(versions)) {
    const found = await client.getBuild({ game, version }).then(
      () => true,
      (why: unknown) => !(why instanceof ApiError && why.code === "not_found"),
    );
    if (!found) missing.push(JSON.stringify(version));
  }
  if (missing.length === 0) return error;
  const builds = missing.length === 1 ? `build ${missing[0]}` : `builds ${missing.join(" and ")}`;
  const { status, requestId, extra } = error;
  return fail("not_found", {
    message: `Not found: ${builds} of game ${JSON.stringify(game)}`,
    hint: "`playtest builds list` shows the game's builds, `playtest games list` the games.",
    status,
    requestId,
    extra,
    cause: error,
  });
}

async function newestBuild(client: BuildClient, game: string, to: number | undefined): Promise<string> {
  const page = to !== undefined && to < 0 ? null : await client.listSessions({ game, to, limit: 1 });
  const [newest] = page?.items ?? [];
  if (newest) return newest.metadata.gameVersion;
  throw fail("not_found", {
    message:
      to === undefined ? `${game} has no sessions, so no latest build` : `${game} has no earlier build`,
    hint: "Name a build; `playtest sessions list` shows which there are.",
  });
}
