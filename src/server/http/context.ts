/** What every step of the pipeline may use. */
import type { AdmissionControl, AdmissionSettings } from "./admission.ts";
import type { Exchange } from "./exchange.ts";
import type { McpMount, McpSettings } from "./mcp.ts";
import type { Router } from "./routes.ts";
import type { AppService } from "./service.ts";
import type { ScrapeMetrics } from "./system-endpoints.ts";

export interface AppOptions {
  /** Host names that are accepted besides the loopback ones. */
  readonly hostNames?: readonly string[];
  /** Take the client's address from X-Forwarded-For: only behind a proxy that sets it. */
  readonly trustProxy?: boolean;
  /** Check every response and error against the contract, and fail loudly where they differ: for tests. */
  readonly validateResponses?: boolean;
  /** How many requests and bytes of bodies are accepted at once. */
  readonly admission?: AdmissionSettings;
  readonly mcp?: McpSettings;
  /** What /metrics returns; without it there is no such path. */
  readonly metrics?: ScrapeMetrics;
}

export interface AppContext {
  readonly service: AppService;
  readonly options: AppOptions;
  readonly hostNames: readonly string[];
  readonly route: Router;
  readonly admission: AdmissionControl;
  readonly mcp: McpMount;
}

/**
 * One step of the pipeline. It returns a response to end the exchange, throws an error that becomes one, or returns
 * null to pass the request on.
 */
export type Step = (exchange: Exchange, app: AppContext) => Response | null | Promise<Response | null>;
