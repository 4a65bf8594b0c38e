/** What a gate is asked to compare: words become builds, `@file` a saved baseline, and no build meets itself. */
import { checkInput } from "../../../client/client.ts";
import * as builds from "../../../contract/builds.ts";
import type { Context } from "../../context.ts";
import { type CliError, fail } from "../../errors.ts";
import { translateError } from "../../translate-error.ts";
import { resolveBaseline, resolveBuild } from "../builds/resolve.ts";
import { readBaseline } from "./baseline.ts";
import type { GateClient, GateQuery } from "./comparison.ts";

/** As it was typed: `a` and `b` may be words that stand for builds. */
export type UnresolvedGateQuery = GateQuery;

/** What the arguments mean, before the service is asked. Throws `usage` where they cannot be, `config` for a file. */
export async function readGateQuery(
  context: Context,
  { a, b, env }: { readonly a: string; readonly b: string; readonly env: string | undefined },
): Promise<UnresolvedGateQuery> {
  if (b.startsWith("@")) {
    throw fail("usage", {
      message: `${b} is a saved baseline, and only a build can ship`,
      hint: "Give the baseline first, then the build: `playtest gate @baseline.json 0.9.0`.",
    });
  }
  if (a === b) throw sameBuildError(b);
  const game = await context.requireGame();
  const baseline = a.startsWith("@") ? await readBaseline(a.slice(1), context.io) : null;
  checkInput(builds.compareBuilds, { game, a: baseline ? b : a, b, env });
  return { game, env, a: baseline ?? a, b };
}

/** The builds that are meant. Throws `not_found`, and `usage` where both are the same. */
export async function resolveGateQuery(
  client: GateClient,
  { game, env, a, b }: UnresolvedGateQuery,
  now: number,
): Promise<GateQuery> {
  const scope = { game, env, now };
  const version = await resolveBuild(client, scope, b);
  if (typeof a !== "string") return { game, env, a, b: version };
  const from = await resolveBaseline(client, scope, a, version);
  if (from !== version) return { game, env, a: from, b: version };
  throw sameBuildError(
    version,
    [a, b].filter((word) => word !== version),
  );
}

/**
 * Asks for all that must be there while b may still come. Throws `not_found` for the game, the baseline, or a build
 * before b where b has come and is the first.
 */
export async function checkBaselineExists(
  client: GateClient,
  { game, env, a, b }: UnresolvedGateQuery,
  now: number,
): Promise<void> {
  if (typeof a === "string" && a !== "previous" && a !== "latest") {
    await client.getBuild({ game, version: a });
    return;
  }
  await client.listSessions({ game, limit: 1 });
  if (a !== "previous") return;
  try {
    const version = await resolveBuild(client, { game, env, now }, b);
    await client.getBuild({ game, version });
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  await resolveGateQuery(client, { game, env, a, b }, now);
}

/** Whether an error says that something is not there. */
export function isNotFound(error: unknown): boolean {
  return translateError(error)?.code === "not_found";
}

function sameBuildError(version: string, words: readonly string[] = []): CliError {
  const stand = words.length === 1 ? "stands" : "stand";
  const why = words.length === 0 ? "" : `: ${words.join(" and ")} ${stand} for it`;
  return fail("usage", {
    message: `Both builds are ${version}${why}, and a build has nothing new against itself`,
    hint: "Name two builds, or `previous` for the one before b; `playtest builds list` shows them.",
  });
}
