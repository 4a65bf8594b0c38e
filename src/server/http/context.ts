/** The context of pipeline steps. */
import type { AdmissionControl, AdmissionSettings } from "./admission.ts";
import type { ConsoleMount, ConsoleSettings } from "./console.ts";
import type { Exchange } from "./exchange.ts";
import type { McpMount, McpSettings } from "./mcp.ts";
import type { Router } from "./routes.ts";
import type { AppService } from "./service.ts";
import type { ScrapeMetrics } from "./system-endpoints.ts";

export interface AppOptions {
  /** Accepted host names in addition to loopback names. */
  readonly hostNames?: readonly string[];
  /** Whether to take the client's address from X-Forwarded-For. Use it only behind a proxy that sets this header. */
  readonly trustProxy?: boolean;
  /** Whether to validate every response against the contract and fail if it does not match. Used in tests. */
  readonly validateResponses?: boolean;
  /** Limits of concurrent requests. */
  readonly admission?: AdmissionSettings;
  readonly mcp?: McpSettings;
  /** How to serve the console, pages for people. Without it, there is none. */
  readonly console?: ConsoleSettings;
  /** Returns the content of /metrics. Without it, the path does not exist. */
  readonly metrics?: ScrapeMetrics;
}

export interface AppContext {
  readonly service: AppService;
  readonly options: AppOptions;
  readonly hostNames: readonly string[];
  readonly route: Router;
  readonly admission: AdmissionControl;
  readonly mcp: McpMount;
  /** Null if the console is turned off. */
  readonly console: ConsoleMount | null;
}

/**
 * One step of the pipeline. It returns a response to end the exchange, throws an error that becomes one, or returns
 * null to pass the request on.
 */
export type Step = (exchange: Exchange, app: AppContext) => Response | null | Promise<Response | null>;
