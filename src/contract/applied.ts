/** Finds out whether a service applied the query parameters that the API document does not list. */
import type { Endpoint } from "./define.ts";

/**
 * The extensions that a request gave and that the answer does not repeat under `applied`: a service that does not know
 * a parameter ignores it, and what it answers is not narrowed by it.
 */
export function findIgnoredExtensions(
  { extensions }: Pick<Endpoint, "extensions">,
  input: Readonly<Record<string, unknown>>,
  answer: unknown,
): string[] {
  const { applied } = (answer ?? {}) as { readonly applied?: Readonly<Record<string, unknown>> | null };
  return extensions.filter((name) => input[name] !== undefined && applied?.[name] !== input[name]);
}
