/** The parts of the API by path: which key each takes and where, which limits count, and where other origins may call. */
import type { ApiKeyKind, Credential } from "../../contract/define.ts";

/** One part of the API: everything at or under its path. */
export interface RouteGroup {
  readonly path: string;
  readonly keys: readonly ApiKeyKind[];
  readonly credential: Credential;
  /** Whether requests count against the telemetry limit of their address rather than the key's. */
  readonly telemetry: boolean;
}

const groups: readonly RouteGroup[] = [
  { path: "/api/v1", keys: ["management"], credential: "bearer", telemetry: false },
  { path: "/api/telemetry", keys: ["ingest"], credential: "bearer", telemetry: true },
  { path: "/api/webhooks", keys: ["management"], credential: "query", telemetry: false },
  { path: "/mcp", keys: ["management"], credential: "bearer", telemetry: false },
];

/** The surface a path belongs to, or null outside all of them. */
export function findRouteGroup(path: string): RouteGroup | null {
  return groups.find((surface) => path === surface.path || path.startsWith(`${surface.path}/`)) ?? null;
}
