/** Names what a failed lookup was for: the service's 404 does not. */
import { httpErrors } from "../contract/errors.ts";
import { type Noun, nounKind } from "../contract/nouns.ts";
import { ClientError, type FailedCall } from "./errors.ts";

/** One value that was looked up, such as the game "ember". */
export interface Lookup {
  /** The parameter or field that it was given as. */
  readonly name: string;
  readonly noun: Noun;
  readonly value: string;
}

/** The values of a call that the service may not have found. Secrets are left out. */
export function listLookups({ endpoint, input }: FailedCall): Lookup[] {
  const { body, ...given } = input;
  const values: Record<string, unknown> = { ...given, ...(typeof body === "object" ? body : {}) };
  return Object.entries(endpoint.names).flatMap(([name, noun]) => {
    const value = values[name];
    return typeof value === "string" && !nounKind(noun).secret ? [{ name, noun, value }] : [];
  });
}

/** A 404 whose message is the service's own, followed by what was looked up. */
export function describeNotFound(error: ClientError, call: FailedCall): ClientError {
  const lookups = listLookups(call).map(
    (lookup) => `${formatLookupName(lookup)} ${JSON.stringify(lookup.value)}`,
  );
  const what = lookups.join(", ") || call.endpoint.path;
  const { status, requestId, extra } = error;
  const details = { status, requestId, extra, call, cause: error };
  return new ClientError("not_found", notFoundMessage(error, what), details);
}

/** The message of a 404 with what was not found: in brackets where the service says more than "Not found". */
export function notFoundMessage({ message, status }: ClientError, what: string): string {
  const general = httpErrors.not_found.message;
  const isGeneral = message === general || message === `${general} (HTTP ${status})`;
  return isGeneral ? `${general}: ${what}` : `${message} (${what})`;
}

/** The word for what was looked up; `id` is the id of whatever the noun is. */
function formatLookupName({ name, noun }: Lookup): string {
  return name === "id" ? noun : name.replace(/Id$/, "");
}
