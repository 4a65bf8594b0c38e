/** Adds the requested values to "not found" errors, because the service's 404 does not name them. */
import { httpErrors } from "../contract/errors.ts";
import { type Noun, nounKind } from "../contract/nouns.ts";
import { ClientError, type FailedCall } from "./errors.ts";

/** One requested value, such as the game "ember". */
export interface Lookup {
  /** The name of the parameter or field. */
  readonly name: string;
  readonly noun: Noun;
  readonly value: string;
}

/** The values of a call that the service may not have found, without secrets. */
export function listLookups({ endpoint, input }: FailedCall): Lookup[] {
  const { body, ...parameters } = input;
  const values: Record<string, unknown> = { ...parameters, ...(typeof body === "object" ? body : {}) };
  return Object.entries(endpoint.names).flatMap(([name, noun]) => {
    const value = values[name];
    return typeof value === "string" && !nounKind(noun).secret ? [{ name, noun, value }] : [];
  });
}

/** A 404 with the service's message, followed by the requested values. */
export function describeNotFound(error: ClientError, call: FailedCall): ClientError {
  const what = describeLookups(listLookups(call)) || call.endpoint.path;
  const { status, requestId, extra } = error;
  const details = { status, requestId, extra, call, cause: error };
  return new ClientError("not_found", notFoundMessage(error, what), details);
}

/** The requested values, such as `build "9.9" of game "ember"`. Any of them may be missing. */
function describeLookups(lookups: readonly Lookup[]): string {
  const describe = (lookup: Lookup) => `${lookup.noun} ${JSON.stringify(lookup.value)}`;
  const games = lookups.filter(({ noun }) => noun === "game").map(describe);
  const others = lookups.filter(({ noun }) => noun !== "game").map(describe);
  return [others.join(" or "), games.join(", ")].filter((text) => text !== "").join(" of ");
}

/** The message of a 404 with what was not found: in parentheses if the service says more than "Not found". */
export function notFoundMessage({ message, status }: ClientError, what: string): string {
  const generic = httpErrors.not_found.message;
  const isGeneric = message === generic || message === `${generic} (HTTP ${status})`;
  return isGeneric ? `${generic}: ${what}` : `${message} (${what})`;
}
