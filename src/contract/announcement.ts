/**
 * What a service offers beyond the API document. It announces its extensions in one header of the list of games; a client
 * uses only the document with a service that announces nothing.
 */
import type { Endpoint } from "./define.ts";

/** The header of `GET /api/v1/games`: names such as `getBuildFacts`, and `listInsights?room` for a query parameter. */
export const EXTENSIONS_HEADER = "x-playtest-extensions";

/** What a service with pages for people announces, at the same address as the API. */
export const CONSOLE = { name: "console", extension: true, extensions: [] } as const;

type Extendable = Pick<Endpoint, "name" | "extension" | "extensions">;

/** The value of the header for a service with these endpoints. */
export function formatExtensions(endpoints: Iterable<Extendable>): string {
  return [...endpoints]
    .flatMap(({ name, extension, extensions }) => [
      ...(extension ? [name] : []),
      ...extensions.map((parameter) => `${name}?${parameter}`),
    ])
    .join(",");
}

/** The names in a value of the header; empty if the service sent none. */
export function parseExtensions(header: string | null): ReadonlySet<string> {
  return new Set((header ?? "").split(",").flatMap((name) => name.trim() || []));
}
