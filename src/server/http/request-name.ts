/** Names what a request asks for, out of a fixed set: what a client sends never becomes a name. */
import type { Router } from "./routes.ts";

/** A name and the pattern of its path; null where it is none of the service's. */
export interface RequestName {
  readonly endpoint: string;
  readonly pattern: string | null;
}

/** The paths that are no endpoint of the contract. */
const systemPaths: ReadonlyMap<string, string> = new Map([
  ["/healthz", "healthz"],
  ["/readyz", "readyz"],
  ["/metrics", "metrics"],
  ["/openapi.json", "openapi"],
  ["/mcp", "mcp"],
]);

/** What a path and method stand for. A method that its path does not take, a preflight too, is named by the path's first. */
export function nameRequest(route: Router, method: string, path: string): RequestName {
  const name = systemPaths.get(path);
  if (name !== undefined) return { endpoint: name, pattern: path };
  const byMethod = route(path)?.byMethod;
  const endpoint = byMethod?.get(method) ?? byMethod?.values().next().value;
  return endpoint
    ? { endpoint: endpoint.name, pattern: endpoint.path }
    : { endpoint: "unknown", pattern: null };
}
