/** Routes paths to endpoints. Literal segments win over parameters. Segments are matched before percent-decoding. */
import type { ApiKeyKind, Credential, Endpoint } from "../../contract/define.ts";

/** The endpoints of one path pattern, by method. */
interface Route {
  readonly segments: readonly string[];
  readonly byMethod: Map<string, Endpoint>;
}

/** The endpoints of a path by method, and its parameters, still percent-encoded. */
export interface RouteMatch {
  readonly byMethod: ReadonlyMap<string, Endpoint>;
  readonly rawParams: Readonly<Record<string, string>>;
}

export type Router = (path: string) => RouteMatch | null;

/** Creates the router of a table of endpoints. */
export function createRouter(endpoints: Iterable<Endpoint>): Router {
  const routes = new Map<string, Route>();
  for (const endpoint of endpoints) {
    const pattern = endpoint.path.replace(/\{[^{}]+\}/g, "{}");
    const route = routes.get(pattern) ?? { segments: endpoint.path.split("/"), byMethod: new Map() };
    route.byMethod.set(endpoint.method, endpoint);
    routes.set(pattern, route);
  }
  const ordered = [...routes.values()].sort((a, b) => compareByLiterals(a.segments, b.segments));
  return (path) => {
    const segments = path.split("/");
    for (const route of ordered) {
      const rawParams = matchSegments(route.segments, segments);
      if (rawParams) return { byMethod: route.byMethod, rawParams };
    }
    return null;
  };
}

const isParam = (segment: string) => segment.startsWith("{");

/** Sorts literal segments before parameters, from left to right: `compare` before `{game}`. */
function compareByLiterals(a: readonly string[], b: readonly string[]): number {
  if (a.length !== b.length) return a.length - b.length;
  for (const [index, segment] of a.entries()) {
    const isOtherParam = isParam(b[index] ?? "");
    if (isParam(segment) !== isOtherParam) return isOtherParam ? -1 : 1;
  }
  return 0;
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of pattern.entries()) {
    const value = segments[index] ?? "";
    if (!isParam(segment)) {
      if (segment !== value) return null;
    } else {
      if (value === "") return null;
      params[segment.slice(1, -1)] = value;
    }
  }
  return params;
}

/** Returns the Allow header of a path. */
export function allowedMethods({ byMethod }: RouteMatch): string {
  const methods = [...byMethod.keys()];
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}

/** All paths at or below `path`. */
export interface RouteGroup {
  readonly path: string;
  readonly keys: readonly ApiKeyKind[];
  readonly credential: Credential;
  /** Whether requests count toward the telemetry limits, and web pages of other origins may send them. */
  readonly telemetry: boolean;
}

const groups: readonly RouteGroup[] = [
  { path: "/api/v1", keys: ["management"], credential: "bearer", telemetry: false },
  { path: "/api/telemetry", keys: ["ingest"], credential: "bearer", telemetry: true },
  { path: "/api/ci", keys: ["ci"], credential: "bearer", telemetry: false },
  { path: "/api/webhooks", keys: ["management"], credential: "query", telemetry: false },
  { path: "/mcp", keys: ["management"], credential: "bearer", telemetry: false },
];

/** Finds the group of a path, or null. */
export function findRouteGroup(path: string): RouteGroup | null {
  return groups.find((group) => path === group.path || path.startsWith(`${group.path}/`)) ?? null;
}

/** The event config, which games in a browser read at startup. */
const EVENT_CONFIG = /^\/api\/v1\/games\/[^/]+\/event-config$/;

/** Whether web pages of other origins may use a path: those that games in a browser need. */
export function allowsOtherOrigins(path: string, group: RouteGroup | null): boolean {
  return group?.telemetry === true || EVENT_CONFIG.test(path);
}
