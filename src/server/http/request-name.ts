/** Names requests for metrics and logs. The set of names is fixed, so that clients cannot add labels. */
import type { Router } from "./routes.ts";

/** A name and the pattern of its path; null for `unknown` and `console`. */
export interface RequestName {
  readonly endpoint: string;
  readonly pattern: string | null;
}

/** The names of paths that are not in the contract. */
const systemPaths: ReadonlyMap<string, string> = new Map([
  ["/healthz", "healthz"],
  ["/readyz", "readyz"],
  ["/metrics", "metrics"],
  ["/openapi.json", "openapi"],
  ["/mcp", "mcp"],
]);

/** The name of all requests for pages and files of the console. */
export const consoleName: RequestName = { endpoint: "console", pattern: null };

/** Returns the name of a request. For a method without endpoint, such as OPTIONS, it is the first endpoint of the path. */
export function nameRequest(route: Router, method: string, path: string): RequestName {
  const name = systemPaths.get(path);
  if (name !== undefined) return { endpoint: name, pattern: path };
  const byMethod = route(path)?.byMethod;
  const endpoint = byMethod?.get(method) ?? byMethod?.values().next().value;
  return endpoint
    ? { endpoint: endpoint.name, pattern: endpoint.path }
    : { endpoint: "unknown", pattern: null };
}
