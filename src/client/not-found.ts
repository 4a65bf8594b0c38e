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
  const lookups = listLookups(call).map(
    (lookup) => `${formatLookupName(lookup)} ${JSON.stringify(lookup.value)}`,
  );
  const what = lookups.join(", ") || call.endpoint.path;
  const { status, requestId, extra } = error;
  const details = { status, requestId, extra, call, cause: error };
  return new ClientError("not_found", notFoundMessage(error, what), details);
}

/** The message of a 404 with what was not found: in parentheses if the service says more than "Not found". */
export function notFoundMessage({ message, status }: ClientError, what: string): string {
  const generic = httpErrors.not_found.message;
  const isGeneric = message === generic || message === `${generic} (HTTP ${status})`;
  return isGeneric ? `${generic}: ${what}` : `${message} (${what})`;
}

/** The noun of a requested value. A parameter `id` is named after its noun. */
function formatLookupName({ name, noun }: Lookup): string {
  return name === "id" ? noun : name.replace(/Id$/, "");
}
