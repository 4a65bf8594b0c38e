/** Detects query parameters that an older service ignored. */
import type { Endpoint } from "./define.ts";

/**
 * Returns the extension parameters of a request that the response does not repeat under `applied`. A service that does
 * not know a parameter ignores it, so its response is not filtered by it.
 */
export function findIgnoredExtensions(
  { extensions }: Pick<Endpoint, "extensions">,
  input: Readonly<Record<string, unknown>>,
  response: unknown,
): string[] {
  const { applied } = (response ?? {}) as { readonly applied?: Readonly<Record<string, unknown>> | null };
  return extensions.filter((name) => input[name] !== undefined && applied?.[name] !== input[name]);
}
