/** Resolves the arguments of the gate to two different builds, or a build and a saved baseline. */
import { checkInput } from "../../../client/client.ts";
import * as builds from "../../../contract/builds.ts";
import { quoteForShell } from "../../../render/shell.ts";
import type { Context } from "../../context.ts";
import { findOtherEnvironment } from "../../default-environment.ts";
import { type CliError, fail } from "../../errors.ts";
import { translateError } from "../../translate-error.ts";
import { resolveBuild, resolvePair } from "../builds/resolve.ts";
import { isBaselineFile, readBaseline } from "./baseline.ts";
import type { GateClient, GateQuery } from "./comparison.ts";

/** Checks the arguments, and chooses the environment. The builds may still be `latest` or `previous`. Throws `usage` for invalid arguments and `config` for an invalid baseline. */
export async function readGateQuery(
  context: Context,
  { a, b, env }: { readonly a: string; readonly b: string; readonly env: string | undefined },
): Promise<GateQuery> {
  if (b.startsWith("@") || (await isBaselineFile(b, context.io))) {
    throw fail("usage", {
      message: `${b} is a saved baseline, but the second argument must be a build`,
      hint: "Specify the baseline first, then the build: `playtest gate @baseline.json 0.9.0`.",
    });
  }
  if (a === "" || b === "") {
    throw fail("usage", {
      message: `The ${b === "" ? "build" : "baseline"} is an empty text`,
      hint: "Specify a version. In CI, check that the variable with the version is set.",
    });
  }
  if (a === b) throw sameBuildError(b);
  if (!a.startsWith("@") && (await isBaselineFile(a, context.io))) throw missingAtError(a, b);
  const game = await context.requireGame();
  const baseline = a.startsWith("@") ? await readBaseline(a.slice(1), context.io) : null;
  checkInput(builds.compareBuilds, { game, a: baseline ? b : a, b, env });
  return { game, env: env ?? (await findOtherEnvironment(context)) ?? undefined, a: baseline ?? a, b };
}

/** The error for a saved baseline that is named like a build. */
function missingAtError(file: string, b: string): CliError {
  const command = ["playtest gate", quoteForShell(`@${file}`), quoteForShell(b)];
  return fail("usage", {
    message: `${file} is a saved baseline, and the name of its file must start with @`,
    hint: command.includes(null) ? "Add @ before the name of the file." : `Run \`${command.join(" ")}\`.`,
  });
}

/** Suggests the @ if a build that does not exist looks like the name of a file. Returns any other error unchanged. */
export function suggestBaselineFile(error: unknown, { game, a, b }: GateQuery): unknown {
  if (typeof a !== "string" || !/\.json$/i.test(a) || !isNotFound(error)) return error;
  const known = translateError(error);
  if (known === null || !known.message.includes(a)) return error;
  const { status, requestId } = known;
  const message = `Game ${JSON.stringify(game)} has no build ${JSON.stringify(a)}`;
  const suggested = [quoteForShell(`@${a}`), quoteForShell(b)];
  if (suggested.includes(null)) return error;
  const hint = `If ${a} is a saved baseline, run \`playtest gate ${suggested.join(" ")}\`.`;
  return fail("not_found", { message, hint, status, requestId, cause: error });
}

/** How `latest` and `previous` are resolved. */
export interface ResolvingOptions {
  /** Unix ms. */
  readonly now: number;
  /** The minimum number of testers of `previous`. */
  readonly minTesters: number;
}

/** Resolves `latest` and `previous`. Throws `not_found`, or `usage` if both builds are the same. */
export async function resolveGateQuery(
  client: GateClient,
  { game, env, a, b, notes: earlier = [] }: GateQuery,
  { now, minTesters }: ResolvingOptions,
): Promise<GateQuery> {
  const notes = [...earlier];
  const notify = async (note: string) => void notes.push(note);
  const scope = { game, env, now, minTesters, notify };
  if (typeof a !== "string") return { game, env, a, b: await resolveBuild(client, scope, b), notes };
  const resolved = await resolvePair(client, scope, { a, b });
  if (resolved.a !== resolved.b) return { game, env, ...resolved, notes };
  throw sameBuildError(
    resolved.b,
    [a, b].filter((word) => word !== resolved.b),
  );
}

/**
 * Checks that everything except build b exists, while the gate waits for b. Throws `not_found` for the game or the
 * baseline, also if b exists and no build precedes it.
 */
export async function checkBaselineExists(
  client: GateClient,
  { game, env, a, b }: GateQuery,
  options: ResolvingOptions,
): Promise<void> {
  if (typeof a === "string" && a !== "previous" && a !== "latest") {
    await client.getBuild({ game, version: a });
    return;
  }
  await client.listSessions({ game, limit: 1 });
  if (a !== "previous") return;
  try {
    const version = await resolveBuild(client, { game, env, ...options }, b);
    await client.getBuild({ game, version });
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  await resolveGateQuery(client, { game, env, a, b }, options);
}

export function isNotFound(error: unknown): boolean {
  return translateError(error)?.code === "not_found";
}

/** The error for a comparison of a build with itself. `words` are what it was named by. */
export function sameBuildError(version: string, words: readonly string[] = []): CliError {
  const resolved = words.length === 0 ? "" : ` (resolved from ${words.join(" and ")})`;
  return fail("usage", {
    message: `Both builds are ${version}${resolved}; specify two different builds`,
    hint:
      version === "previous"
        ? "Name another build, such as latest."
        : `Name another build, such as previous for the one before ${version}.`,
  });
}

/**
 * Throws `not_found` if build b has no testers because no session of the game is in the environment. If that cannot be
 * checked, the build counts as one without sessions yet.
 */
export async function requireGateEnvironment(
  context: Context,
  env: string | undefined,
  { testers }: { readonly testers: number },
): Promise<void> {
  if (testers > 0 || env === undefined) return;
  const { requireKnownNames } = await import("../../unknown-names.ts");
  await requireKnownNames(context, { env }).catch((error: unknown) => {
    if (isNotFound(error)) throw error;
  });
}
