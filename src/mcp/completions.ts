/** Completions of arguments: games, builds, sessions and testers, for prompts and for resources alike. */
import { cleanLine } from "../render/text.ts";
import type { CallContext } from "./call.ts";
import type { McpNameCache } from "./name-cache.ts";

/** What the protocol lets a completion hold. */
const MAX_VALUES = 100;

export interface CompletionResult {
  readonly values: string[];
  readonly total: number;
  readonly hasMore: boolean;
}

/** What an argument may be, beginning with what is typed; `others` are the arguments that are given already. */
export async function completeArgument(
  argument: { readonly name: string; readonly value: string },
  others: Readonly<Record<string, string>>,
  names: McpNameCache,
  context: CallContext,
): Promise<CompletionResult> {
  const all = await listValues(argument.name, others.game, names, context).catch(() => []);
  context.signal.throwIfAborted();
  const typed = argument.value.toLowerCase();
  // A name that cannot be shown as it is cannot be offered either.
  const fitting = all.filter((name) => name.toLowerCase().startsWith(typed) && cleanLine(name) === name);
  return {
    values: fitting.slice(0, MAX_VALUES),
    total: fitting.length,
    hasMore: fitting.length > MAX_VALUES,
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
