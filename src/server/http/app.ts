/** The service as a fetch function: every request runs through the pipeline, watched by the observer. */
import type { Endpoint } from "../../contract/define.ts";
import { endpoints } from "../../contract/index.ts";
import { noopObserver } from "../core/observer.ts";
import type { ApiKeyRow } from "../db/schema.ts";
import { LogNames } from "../observability/log-names.ts";
import { throttled } from "../observability/throttled.ts";
import { AdmissionControl, defaultAdmission } from "./admission.ts";
import { ConsoleMount } from "./console.ts";
import type { AppContext, AppOptions } from "./context.ts";
import { describeError, type FaultReporter } from "./error-response.ts";
import { createExchange, type Exchange, type Peer, respond, type Sender } from "./exchange.ts";
import { McpMount } from "./mcp.ts";
import { pipeline, runPipeline } from "./pipeline.ts";
import { toNetwork } from "./rate-limit-windows.ts";
import { createRouter, findRouteGroup } from "./routes.ts";
import type { AppService } from "./service.ts";
import { createSystemEndpoints } from "./system-endpoints.ts";

export interface App {
  fetch(request: Request, peer?: Peer): Promise<Response>;
}

const route = createRouter(Object.values(endpoints));

/** Creates the app of a service. `hash` hashes names of people in logs. */
export function createApp(
  service: AppService,
  hash: (text: string) => string,
  options: AppOptions = {},
): App {
  const names = new LogNames(hash, service.now, Object.values(endpoints));
  const system = createSystemEndpoints(service, options.metrics);
  const reporter = { report: service.report, reportTransient: throttled(service) };
  const run = async (request: Request, peer: Peer, sender: Sender, key: ApiKeyRow | null = null) => {
    const exchange = createExchange(request, {
      peer,
      sender,
      key,
      isObserved: service.observer !== noopObserver,
      trustProxy: options.trustProxy ?? false,
      describe: (method, path, address) => ({
        path: names.path(path, findEndpoint(method, path)),
        address: names.address(toNetwork(address)),
      }),
      findGroup: findRouteGroup,
      findSystemEndpoint: (path) => system.get(path) ?? null,
    });
    const response = await observe(exchange, app, reporter);
    if (service.draining.aborted) response.headers.set("connection", "close");
    return response;
  };
  const app: AppContext = {
    service,
    options,
    hostNames: options.hostNames ?? [],
    route,
    admission: new AdmissionControl(options.admission ?? defaultAdmission),
    mcp: new McpMount(service, options.mcp ?? {}, (request, address) => run(request, { address }, "tool")),
    console: options.console
      ? new ConsoleMount(service, options.console, (request, key, address) =>
          run(request, { address }, "page", key),
        )
      : null,
  };
  return { fetch: (request, peer = { address: "127.0.0.1" }) => run(request, peer, "client") };
}

/** Runs an exchange inside the observer's span, where there is an observer. */
async function observe(exchange: Exchange, app: AppContext, reporter: FaultReporter): Promise<Response> {
  const { observer } = app.service;
  if (!exchange.isObserved) return await answer(exchange, app, reporter);
  const info = {
    requestId: exchange.requestId,
    method: exchange.request.method,
    ...exchange.logged,
    ...((await app.console?.handles(exchange)) ? consoleName : nameRequest(exchange.method, exchange.path)),
    header: (name: string) => exchange.request.headers.get(name),
  };
  const { response } = await observer.request(info, async () => ({
    response: await answer(exchange, app, reporter),
    ...exchange.outcome,
  }));
  return response;
}

async function answer(exchange: Exchange, app: AppContext, reporter: FaultReporter): Promise<Response> {
  try {
    return await runPipeline(pipeline, exchange, app);
  } catch (error) {
    const described = describeError(exchange, error, app.service, reporter);
    const page = await app.console?.toErrorPage(exchange, described);
    return page ?? respond(exchange, described.status, JSON.stringify(described.body));
  } finally {
    exchange.permit?.release();
  }
}

/** The endpoint of a path, or else the first one of another method. */
function findEndpoint(method: string, path: string): Endpoint | undefined {
  const byMethod = route(path)?.byMethod;
  return byMethod?.get(method) ?? byMethod?.values().next().value;
}

/** A name and the pattern of its path; null for `unknown` and `console`. */
interface RequestName {
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
const consoleName: RequestName = { endpoint: "console", pattern: null };

/**
 * Returns the name of a request for metrics and logs. The set of names is fixed, so that clients cannot add labels. For a method
 * without endpoint, such as OPTIONS, it is the first endpoint of the path.
 */
function nameRequest(method: string, path: string): RequestName {
  const name = systemPaths.get(path);
  if (name !== undefined) return { endpoint: name, pattern: path };
  const endpoint = findEndpoint(method, path);
  return endpoint
    ? { endpoint: endpoint.name, pattern: endpoint.path }
    : { endpoint: "unknown", pattern: null };
}
