/** Finds out after an empty or missing result which name is unknown, and suggests the names that exist. */
import { ClientError } from "../client/errors.ts";
import { type Lookup, listLookups } from "../client/not-found.ts";
import { httpErrors } from "../contract/errors.ts";
import { type Noun, nounKind } from "../contract/nouns.ts";
import { type CliError, fail } from "./errors.ts";
import {
  createNameClient,
  type KnownName,
  type KnownNoun,
  type NameClient,
  type NameContext,
  plurals,
  readKnownNames,
} from "./known-names.ts";
import { listNames, suggestSimilar } from "./similar-names.ts";
import { formatFlag } from "./suggested-commands.ts";
import { translateError } from "./translate-error.ts";

/** The names that filtered an empty result. */
export interface NameFilters {
  readonly build?: string | undefined;
  /** Environment slug or `all`. */
  readonly env?: string | undefined;
  readonly event?: string | undefined;
}

/** The hint of an error for an unknown name: what it may mean, and the command that lists the names. */
export function describeUnknown(noun: KnownNoun, value: string, known: readonly KnownName[]): string | null {
  const exact = known.find(({ alias }) => alias?.toLowerCase() === value.toLowerCase());
  if (exact) return `Did you mean ${JSON.stringify(exact.name)}?`;
  return suggestSimilar(
    value,
    known.map(({ name }) => name),
    plurals[noun],
  );
}

/** The error for a name that does not exist in a game, or in any game. */
export function unknownName(
  noun: KnownNoun,
  value: string,
  known: readonly KnownName[],
  game: string | undefined,
): CliError {
  const where = game === undefined ? " in any game" : ` of game ${JSON.stringify(game)}`;
  const suggestion = describeUnknown(noun, value, known);
  return fail("not_found", {
    message: `Not found: ${noun} ${JSON.stringify(value)}${where}`,
    hint:
      suggestion ??
      `Run \`playtest sessions list${game === undefined ? "" : formatFlag("--game", game)}\` to see what exists.`,
  });
}

/**
 * Checks the names that filtered an empty result, each alone. Throws `not_found` for a name that nothing in the game has.
 * Names that exist, but not together, are no error.
 */
export async function requireKnownNames(context: NameContext, filters: NameFilters): Promise<void> {
  const { build, event } = filters;
  const env = filters.env === "all" ? undefined : filters.env;
  if (build === undefined && env === undefined && event === undefined) return;
  const game = (await context.findGame())?.value;
  const client = await createNameClient(context);
  if (build !== undefined && !(await hasSessions(client, { game, build })))
    throw unknownName("build", build, await readKnownNames(client, "build", game), game);
  if (env !== undefined && !(await hasSessions(client, { game, env })))
    throw unknownName("environment", env, await readKnownNames(client, "environment", game), game);
  if (event === undefined || game === undefined) return;
  const events = await readKnownNames(client, "event", game);
  if (!events.some(({ name }) => name === event)) throw unknownName("event", event, events, game);
}

async function hasSessions(
  client: NameClient,
  filter: { readonly game: string | undefined; readonly build?: string; readonly env?: string },
): Promise<boolean> {
  return (await client.listSessions({ ...filter, limit: 1 })).total > 0;
}

/** Adds what a name may mean to the error of a request for something that does not exist. Returns other errors unchanged. */
export async function suggestNames(error: unknown, context: NameContext): Promise<unknown> {
  const translated = translateError(error);
  const call = findFailedCall(error);
  if (translated?.code !== "not_found" || call === null || !isGeneric(translated)) return error;
  const lookups = listLookups(call);
  try {
    const client = await createNameClient(context);
    const game = lookups.find(({ noun }) => noun === "game")?.value;
    const unknownGame = game === undefined ? null : await findSuggestion(client, "game", game, undefined);
    if (unknownGame !== null) {
      const isOnlyName = lookups.length === 1;
      const message = isOnlyName ? translated.message : `Not found: game ${JSON.stringify(game)}`;
      return withSuggestion(translated, message, `${unknownGame}${suggestCommand("game", undefined)}`);
    }
    const scope = game ?? (await context.findGame())?.value;
    for (const { noun, value } of lookups.filter(isListed)) {
      const suggestion = await findSuggestion(client, noun as KnownNoun, value, scope);
      if (suggestion !== null)
        return withSuggestion(translated, translated.message, `${suggestion}${suggestCommand(noun, scope)}`);
    }
  } catch {
    // The error is more important than a suggestion.
  }
  return error;
}

/** Whether the message names what was looked up. Other messages, such as those about a line of a file, say more. */
const isGeneric = ({ message }: CliError) => message.startsWith(httpErrors.not_found.message);

const isListed = ({ noun }: Lookup) => noun !== "game" && Object.hasOwn(plurals, noun);

/** What an unknown name may mean; null if it exists, or nothing of its kind does. */
async function findSuggestion(
  client: NameClient,
  noun: KnownNoun,
  value: string,
  game: string | undefined,
): Promise<string | null> {
  const known = await readKnownNames(client, noun, game);
  const exists = known.some(({ name, alias }) => name === value || (noun === "game" && alias === value));
  return exists ? null : describeUnknown(noun, value, known);
}

/** A sentence with the command that lists the names, after a space; empty if there is no such command. */
function suggestCommand(noun: Noun, game: string | undefined): string {
  const { command, listed, inGame } = nounKind(noun);
  const flag = inGame && game !== undefined ? formatFlag("--game", game) : "";
  return command === null ? "" : ` Run \`playtest ${command}${flag}\` to see ${listed}.`;
}

function withSuggestion(error: CliError, message: string, hint: string): CliError {
  const { status, issues, requestId } = error;
  return fail("not_found", { message, hint, status, issues, requestId, cause: error });
}

/** The call of the first client error among an error and its causes. */
function findFailedCall(error: unknown): ClientError["call"] {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof ClientError && cause.call !== null) return cause.call;
  return null;
}

/** The games that the key can read, as a sentence; an empty text if they cannot be listed. */
export async function listGameNames(context: NameContext): Promise<string> {
  try {
    const known = await readKnownNames(await createNameClient(context), "game", undefined);
    const sentence = listNames(
      known.map(({ name }) => name),
      plurals.game,
    );
    return sentence === null ? "" : ` ${sentence}`;
  } catch {
    return "";
  }
}
