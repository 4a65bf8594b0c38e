/** Resolves `latest` and `previous` in the flags that name builds. */
import { isBuildWord } from "../shared/build-words.ts";
import { buildEndpoints } from "./commands/builds/endpoints.ts";
import { createBuildScope, resolvePair } from "./commands/builds/resolve.ts";
import type { Context } from "./context.ts";
import { inEnvironment } from "./default-environment.ts";

type FlagValues = Readonly<Record<string, unknown>>;

/**
 * The flags of a command with versions instead of `latest` and `previous`, in the environment of the command or in production.
 * Throws `not_found` without such a build, and `usage` without a game.
 */
export async function resolveBuildFlags(context: Context, flags: FlagValues): Promise<FlagValues> {
  const { build, diff, env } = flags;
  // A command says itself that --diff needs a build.
  if (typeof build !== "string" || (!isBuildWord(build) && !isBuildWord(diff))) return flags;
  const client = await context.client(buildEndpoints);
  const game = await context.requireGame();
  const words = { a: typeof diff === "string" ? diff : "", b: typeof build === "string" ? build : "" };
  const chosen = typeof env === "string" ? env : undefined;
  const found = await inEnvironment(
    context,
    chosen,
    (inEnv) => resolvePair(client, createBuildScope(context, game, inEnv), words),
    () => false,
  );
  return { ...flags, ...(found.a !== "" && { diff: found.a }), ...(found.b !== "" && { build: found.b }) };
}
