/** Puts a 404 into words: what was looked up, and where the names that exist are listed. */
import type { Endpoint } from "../contract/define.ts";
import { type ApiError, errorKinds, fail } from "../contract/errors.ts";
import { type Noun, nounKind } from "../contract/nouns.ts";

/** The service says only that something was not found; the error names every value that this may be. */
export function notFound(error: ApiError, endpoint: Endpoint, input: Record<string, unknown>): ApiError {
  const { body, ...given } = input;
  const values: Record<string, unknown> = { ...given, ...(typeof body === "object" ? body : {}) };
  const looked = Object.entries(endpoint.names).filter(
    ([name, noun]) => typeof values[name] === "string" && !nounKind(noun).secret,
  );
  const named = looked.map(([name, noun]) => `${word(name, noun)} ${JSON.stringify(values[name])}`);
  const { status, requestId, extra } = error;
  return fail("not_found", {
    message: `Not found: ${named.join(", ") || endpoint.path}`,
    hint: whereToLook(looked.map(([, noun]) => noun)),
    status,
    requestId,
    extra,
    cause: error,
  });
}

/** Where the names that exist are listed. */
function whereToLook(nouns: readonly Noun[]): string {
  const commands = new Set(nouns.flatMap((noun) => nounKind(noun).command ?? []));
  if (commands.size === 0) return errorKinds.not_found.hint;
  const listed = [...commands].map((command) => `\`playtest ${command}\``).join(" and ");
  return `${listed} ${commands.size === 1 ? "shows" : "show"} what this key can see.`;
}

/** The word for a parameter; `id` is the id of whatever the noun is. */
function word(name: string, noun: Noun): string {
  return name === "id" ? noun : name.replace(/Id$/, "");
}
