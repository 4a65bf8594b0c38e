/** The paths outside of the API: health probes, metrics and the OpenAPI document. They need no key. */

import { withTimeout } from "../core/with-timeout.ts";
import type { Service } from "../db/service.ts";
import type { MeasuredService } from "../observability/gauges.ts";
import { pingDatabase } from "../observability/health-queries.ts";

export interface SystemEndpoint {
  /** The required checks: none, the Host, or the Host and admission control. */
  readonly requires: "nothing" | "host" | "admission";
  /** The Allow header. Other methods are rejected. */
  readonly allow: string;
  answer(): Promise<SystemResponse>;
}

/** Returns the content of /metrics and its content type. */
export type ScrapeMetrics = (
  service: MeasuredService,
) => Promise<{ readonly type: string; readonly text: string }>;

/** Creates the system endpoints by path. /metrics exists only if `metrics` is set. */
export function createSystemEndpoints(
  service: MeasuredService,
  metrics: ScrapeMetrics | undefined,
): ReadonlyMap<string, SystemEndpoint> {
  const health = createHealth(service);
  const paths = new Map<string, SystemEndpoint>([
    ["/healthz", { requires: "nothing", allow: "GET, HEAD", answer: health.checkLiveness }],
    ["/readyz", { requires: "nothing", allow: "GET, HEAD", answer: health.checkReadiness }],
    ["/openapi.json", { requires: "admission", allow: "GET, HEAD, OPTIONS", answer: describeApi }],
  ]);
  // Metrics must be available under overload, so they skip admission control.
  if (metrics) {
    const answer = async () => {
      const { type, text } = await metrics(service);
      return { status: 200, text, headers: { "content-type": type } };
    };
    paths.set("/metrics", { requires: "host", allow: "GET, HEAD", answer });
  }
  return paths;
}

async function describeApi(): Promise<SystemResponse> {
  return { status: 200, text: (await import("./openapi.prepared.ts")).openApiText };
}

/** The timeout of the database check, ms. Probes usually wait only a few seconds. */
const DATABASE_TIMEOUT_MS = 2000;

/** The response of a system endpoint: JSON, unless the headers name another type. */
interface SystemResponse {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The checks of the two paths. They never throw. */
interface Health {
  checkLiveness(): Promise<SystemResponse>;
  checkReadiness(): Promise<SystemResponse>;
}

function createHealth(service: Service): Health {
  // Concurrent probes share one query.
  let pendingPing: Promise<boolean> | null = null;
  const isDatabaseAvailable = () => {
    pendingPing ??= withTimeout(DATABASE_TIMEOUT_MS, pingDatabase(service.store.readDb))
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        pendingPing = null;
      });
    return pendingPing;
  };
  return {
    checkLiveness: async () => answer(200, { status: "ok" }),
    async checkReadiness() {
      if (service.draining.aborted) return respondUnready("stopping");
      if (service.integrity.isDamaged) return respondUnready("database-damaged");
      return (await isDatabaseAvailable()) ? answer(200, { status: "ok" }) : respondUnready("database");
    },
  };
}

const answer = (status: number, body: Readonly<Record<string, string>>): SystemResponse => ({
  status,
  text: JSON.stringify(body),
  headers: { "cache-control": "no-store" },
});
const respondUnready = (reason: string) => answer(503, { status: "unready", reason });
