/** The paths outside of the API: health probes, metrics and the OpenAPI document. They need no key. */

import type { Service } from "../db/service.ts";
import { createHealth, type SystemResponse } from "./health.ts";

export interface SystemEndpoint {
  /** The required checks: none, the Host, or the Host and admission control. */
  readonly requires: "nothing" | "host" | "admission";
  /** The Allow header. Other methods are rejected. */
  readonly allow: string;
  answer(): Promise<SystemResponse>;
}

/** Returns the content of /metrics and its content type. */
export type ScrapeMetrics = (service: Service) => Promise<{ readonly type: string; readonly text: string }>;

/** Creates the system endpoints by path. /metrics exists only if `metrics` is set. */
export function createSystemEndpoints(
  service: Service,
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
