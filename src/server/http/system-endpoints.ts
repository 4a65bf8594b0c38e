/** The paths beside the API: the service's health, its metrics and the API's description. They are read without a key. */

import type { Service } from "../db/service.ts";
import { createHealth, type SystemResponse } from "./health.ts";

export interface SystemEndpoint {
  /** What a request must pass before it is answered: nothing, the check of its Host, or also that of what is in hand. */
  readonly requires: "nothing" | "host" | "admission";
  /** The value of Allow; any other method is refused. */
  readonly allow: string;
  answer(): Promise<SystemResponse>;
}

/** The text that /metrics answers, and its content type. */
export type ScrapeMetrics = (service: Service) => Promise<{ readonly type: string; readonly text: string }>;

/** The paths of a service; /metrics only where there are some. */
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
  // What is wrong is looked for where too much is going on: it must be told just then.
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
  return { status: 200, text: (await import("./openapi.ts")).openApiText() };
}
