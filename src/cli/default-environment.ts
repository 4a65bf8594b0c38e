/**
 * The environment of answers about players for which none was chosen: production, or the only other one that the game was
 * played in.
 */
import { ClientError } from "../client/errors.ts";
import { listOtherEnvironments } from "../client/other-environments.ts";
import { DEFAULT_ENV } from "../contract/fields.ts";
import type { Context } from "./context.ts";
import { fail } from "./errors.ts";
import { createCheckClient } from "./known-names.ts";
import { translateError } from "./translate-error.ts";

/**
 * Runs a query in the chosen environment. Without one, `run` selects production, and runs again in the only other environment
 * if production is empty. Throws `usage` with the environments if there are several others. Default game: the current one.
 */
export async function inEnvironment<T extends object>(
  context: Context,
  env: string | undefined,
  run: (env: string | undefined) => Promise<T>,
  isEmpty: (answer: T) => boolean,
  game?: string,
): Promise<T> {
  if (env !== undefined) return await run(env);
  const first = await run(undefined).then(
    (answer) => ({ answer, error: null }),
    (error: unknown) => {
      // The service may know no such environment, or no build in it.
      if (translateError(error)?.code !== "not_found") throw error;
      return { answer: null, error };
    },
  );
  if (first.answer !== null && !isEmpty(first.answer)) return first.answer;
  const other = await findOtherEnvironment(context, game);
  if (other !== null) return await run(other);
  if (first.answer === null) throw first.error;
  return first.answer;
}

/** The only environment with sessions, if production has none; otherwise null, also if that cannot be found out. */
export async function findOtherEnvironment(context: Context, named?: string): Promise<string | null> {
  const game = named ?? (await context.findGame())?.value;
  if (game === undefined) return null;
  const client = await createCheckClient(context);
  const found = await listOtherEnvironments(client, game).catch((error: unknown) => {
    if (error instanceof ClientError) return [];
    throw error;
  });
  if (found.length < 2) return found[0] ?? null;
  throw fail("usage", {
    message: `Game ${JSON.stringify(game)} has no sessions in ${DEFAULT_ENV}, but in ${found.length} other environments`,
    hint: `Select one with --env: ${found.join(", ")}.`,
  });
}
