/** Adds the requested values to "not found" errors, because the service's 404 does not name them. */
import { httpErrors } from "../contract/errors.ts";
import { type Noun, nounKind } from "../contract/nouns.ts";
import { formatName } from "../shared/similar-names.ts";
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
  const { status, requestId, extra } = error;
  const details = { status, requestId, extra, call, cause: error };
  return new ClientError("not_found", notFoundMessage(error, describeLookups(call)), details);
}

/** The requested values, such as `build 9.9 in ember`. Any of them may be missing. */
function describeLookups(call: FailedCall): string {
  const lookups = listLookups(call);
  const others = lookups.filter(({ noun }) => noun !== "game");
  const games = lookups.filter(({ noun }) => noun === "game").map(({ value }) => formatName(value));
  if (others.length === 0) return games.length === 0 ? call.endpoint.path : `game ${games.join(", ")}`;
  const names = others.map(({ noun, value }) => `${noun} ${formatName(value)}`);
  return [names.join(" or "), ...games].join(" in ");
}

/**
 * The message of a 404: "No build 9.9 in ember" or, for a path, "Not found: /path". If the service says more than "Not found",
 * its message, followed by what was not found in parentheses.
 */
export function notFoundMessage({ message, status }: ClientError, what: string): string {
  const generic = httpErrors.not_found.message;
  const isGeneric = message === generic || message === `${generic} (HTTP ${status})`;
  if (!isGeneric) return `${message} (${what})`;
  return what.startsWith("/") ? `${generic}: ${what}` : `No ${what}`;
}
