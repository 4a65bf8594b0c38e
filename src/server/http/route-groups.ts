/** The groups of paths of the API, with their keys, rate limits and whether other origins may call them. */
import type { ApiKeyKind, Credential } from "../../contract/define.ts";

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
