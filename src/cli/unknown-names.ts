/** Finds out after an empty or missing result which name is unknown, and suggests the names that exist. */
import { ClientError, type FailedCall } from "../client/errors.ts";
import { type Lookup, listLookups } from "../client/not-found.ts";
import type { UnknownFilterReason } from "../contract/errors.ts";
import { httpErrors } from "../contract/errors.ts";
import { type Noun, nounKind } from "../contract/nouns.ts";
import { askDidYouMean, formatName, listNames, suggestSimilar } from "../shared/similar-names.ts";
import { CliError, fail } from "./errors.ts";
import {
  createCheckClient,
  createNameClient,
  type KnownName,
  type KnownNoun,
  type NameClient,
  type NameContext,
  plurals,
  readKnownNames,
  readSuggestedNames,
} from "./known-names.ts";
import { formatFlag } from "./suggested-commands.ts";
import { translateError } from "./translate-error.ts";

/** The names that filtered an empty result. */
export interface NameFilters {
  readonly build?: string | undefined;
  /** Environment slug or `all`. */
  readonly env?: string | undefined;
  readonly event?: string | undefined;
  /** Tester handle or device id. */
  readonly device?: string | undefined;
}

/** The hint of an error for an unknown name: what it may mean, and the command that lists the names. */
export function describeUnknown(noun: KnownNoun, value: string, known: readonly KnownName[]): string | null {
  const listed = known.filter(({ unlisted }) => !unlisted);
  return suggestKnown(value, known) ?? listNames([...new Set(listed.map(toName))], plurals[noun]);
}

/** A sentence with the names that a value may mean: the one with this alias, or the similar ones; null without any. */
export function suggestKnown(value: string, known: readonly KnownName[]): string | null {
  const exact = known.find(({ alias }) => alias?.toLowerCase() === value.toLowerCase());
  return exact ? askDidYouMean([exact.name]) : suggestSimilar(value, known.map(toName), null);
}

const toName = ({ name }: KnownName) => name;

/** The error for a name that does not exist in a game, or in any game. */
function unknownName(
  noun: KnownNoun,
  value: string,
  known: readonly KnownName[],
  game: string | undefined,
): CliError {
  const suggestion = describeUnknown(noun, value, known);
  const flag = game === undefined ? "" : formatFlag("--game", game);
  return fail("not_found", {
    message: `No ${noun} ${formatName(value)} in ${game === undefined ? "any game" : formatName(game)}`,
    suggestion,
    ...(suggestion === null ? { hint: `Run \`playtest sessions list${flag}\` to see what exists.` } : {}),
  });
}

/**
 * Checks the names that filtered an empty result, each alone. Throws `not_found` for a name that nothing in the game has.
 * Names that exist, but not together, are no error.
 */
export async function requireKnownNames(context: NameContext, filters: NameFilters): Promise<void> {
  const { build, event, device } = filters;
  const env = filters.env === "all" ? undefined : filters.env;
  if ([build, env, event, device].every((name) => name === undefined)) return;
  const game = (await context.findGame())?.value;
  const client = await createCheckClient(context);
  const requireKnown = async (noun: KnownNoun, value: string, isKnown: boolean) => {
    if (!isKnown) throw unknownName(noun, value, await readSuggestedNames(context, noun, game), game);
  };
  if (build !== undefined) await requireKnown("build", build, await hasSessions(client, { game, build }));
  if (env !== undefined) await requireKnown("environment", env, await hasSessions(client, { game, env }));
  if (game === undefined) return;
  if (device !== undefined) await requireKnown("device", device, await testerExists(client, game, device));
  if (event === undefined) return;
  const events = await readKnownNames(client, "event", game);
  if (!events.some(({ name }) => name === event)) throw unknownName("event", event, events, game);
}

/** The message and the hint of an unknown name, as one text; null if all names are known or cannot be checked. */
export async function describeUnknownNames(
  context: NameContext,
  filters: NameFilters,
): Promise<string | null> {
  try {
    await requireKnownNames(context, filters);
    return null;
  } catch (error) {
    return error instanceof CliError && error.code === "not_found" ? `${error.message}. ${error.hint}` : null;
  }
}

async function testerExists(client: NameClient, game: string, deviceId: string): Promise<boolean> {
  try {
    await client.getTester({ game, deviceId });
    return true;
  } catch (error) {
    if (error instanceof ClientError && error.code === "not_found") return false;
    throw error;
  }
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
  const failed = findFailedCall(error);
  if (translated?.code !== "not_found" || failed === null) return error;
  const { call, reason } = failed;
  const filter = filterReasons.find(({ reason: name }) => name === reason);
  const lookups = listLookups(call);
  if (filter === undefined && !isGeneric(translated, lookups)) return error;
  try {
    const client = await createNameClient(context);
    if (filter) return await suggestFilter(translated, filter, call.input, client);
    const game = lookups.find(({ noun }) => noun === "game")?.value;
    const unknownGame = game === undefined ? null : await findSuggestion(client, "game", game, undefined);
    if (unknownGame !== null) {
      const isOnlyName = lookups.length === 1;
      const message = isOnlyName ? translated.message : `No game ${formatName(game ?? "")}`;
      return withSuggestion(translated, message, unknownGame, suggestCommand("game", undefined));
    }
    const scope = game ?? (await context.findGame())?.value;
    for (const { noun, value } of lookups.filter(isListed)) {
      const suggestion = await findSuggestion(client, noun as KnownNoun, value, scope);
      if (suggestion !== null)
        return withSuggestion(translated, translated.message, suggestion, suggestCommand(noun, scope));
    }
  } catch {
    // The error is more important than a suggestion.
  }
  return error;
}

/** Whether the message only names what was looked up. Other messages, such as those about a line of a file, say more. */
const isGeneric = ({ message }: CliError, lookups: readonly Lookup[]) =>
  message.startsWith(httpErrors.not_found.message) ||
  lookups.some(({ noun }) => message.startsWith(`No ${noun}`));

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

/** A sentence with the command that lists the names; undefined if there is no such command. */
function suggestCommand(noun: Noun, game: string | undefined): string | undefined {
  const { command, listed, inGame } = nounKind(noun);
  const flag = inGame && game !== undefined ? formatFlag("--game", game) : "";
  return command === null ? undefined : `Run \`playtest ${command}${flag}\` to see ${listed}.`;
}

function withSuggestion(
  error: CliError,
  message: string,
  suggestion: string,
  hint: string | undefined,
): CliError {
  const { status, issues, requestId } = error;
  const details = { message, suggestion, status, issues, requestId, cause: error };
  return fail("not_found", hint === undefined ? details : { ...details, hint });
}

/** The filters whose unknown values the service names, without names that they may mean. */
const filterReasons = [
  { reason: "unknown_environment", parameter: "env", noun: "environment" },
  { reason: "unknown_tester", parameter: "device", noun: "tester" },
] as const satisfies readonly {
  readonly reason: UnknownFilterReason;
  readonly parameter: string;
  readonly noun: KnownNoun;
}[];

/** Adds the names that the value of a filter may mean to an error, before its own hint. */
async function suggestFilter(
  error: CliError,
  { parameter, noun }: (typeof filterReasons)[number],
  { game, [parameter]: value }: FailedCall["input"],
  client: NameClient,
): Promise<CliError> {
  if (typeof value !== "string" || typeof game !== "string") return error;
  const known = await readKnownNames(client, noun, game);
  const similar = suggestKnown(value, known);
  return similar === null ? error : withSuggestion(error, error.message, similar, error.hint);
}

/** The call and the reason of the first client error among an error and its causes. */
function findFailedCall(error: unknown): { readonly call: FailedCall; readonly reason: unknown } | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof ClientError && cause.call !== null)
      return { call: cause.call, reason: cause.extra.reason };
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
