/** Completes the arguments of prompts and resources: games, builds, sessions and testers. */
import { cleanLine } from "../render/text.ts";
import type { CallContext } from "./call-api.ts";
import type { McpNameCache } from "./name-cache.ts";

/** The maximum number of values that the protocol allows in a completion. */
const MAX_VALUES = 100;

export interface CompletionResult {
  readonly values: string[];
  readonly total: number;
  readonly hasMore: boolean;
}

/**
 * Lists values of an argument that start with `argument.value`, ignoring case. `others` are the arguments that the user
 * has already entered. Returns no values if the API fails.
 */
export async function completeArgument(
  argument: { readonly name: string; readonly value: string },
  others: Readonly<Record<string, string>>,
  names: McpNameCache,
  context: CallContext,
): Promise<CompletionResult> {
  const all = await listValues(argument.name, others.game, names, context).catch(() => []);
  context.signal.throwIfAborted();
  const prefix = argument.value.toLowerCase();
  // Omits names with control characters: clients display completions, and a cleaned name would not match.
  const matches = all.filter((name) => name.toLowerCase().startsWith(prefix) && cleanLine(name) === name);
  return {
    values: matches.slice(0, MAX_VALUES),
    total: matches.length,
    hasMore: matches.length > MAX_VALUES,
  };
}

async function listValues(
  name: string,
  game: string | undefined,
  names: McpNameCache,
  context: CallContext,
): Promise<readonly string[]> {
  if (name === "game") return (await names.games(context)).map(({ slug }) => slug);
  if (name === "session") return (await names.sessions(game ?? null, context)).map(({ id }) => id);
  if (game === undefined) return [];
  if (name === "tester") return await names.testers(game, context);
  return ["a", "b", "build"].includes(name) ? await names.builds(game, context) : [];
}
