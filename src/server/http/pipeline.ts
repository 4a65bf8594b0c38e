/**
 * The request pipeline: all checks of a request. Their order decides which error wins.
 *
 * Without a key, a client cannot find out which paths exist. A path outside of the API is a 404 at once. Inside of the
 * API, unknown paths get a 404 only after the key, its scope and its rate limit were checked.
 */
import type { AppContext, Step } from "./context.ts";
import type { Exchange } from "./exchange.ts";
import {
  authenticate,
  checkHost,
  checkScope,
  limitAddress,
  limitDevice,
  limitKey,
  limitTelemetry,
  requireGroup,
  requireOneKey,
  requireStorage,
} from "./steps/access.ts";
import { decode, handle } from "./steps/call.ts";
import {
  allowCrossOrigin,
  answerMcp,
  answerPreflight,
  answerTelemetryPreflight,
  matchRoute,
  requireMethod,
  requireRoute,
} from "./steps/routing.ts";
import { admit, answerMetrics, answerOpenApi, answerProbe } from "./steps/system.ts";

/** Answers pages and files of the console. Comes before the limit of addresses, because pages have their own limit. */
const answerConsole: Step = async (exchange, app) =>
  app.console && (await app.console.handles(exchange)) ? await app.console.answer(exchange) : null;

export const pipeline: readonly Step[] = [
  answerProbe, // 200, or 503 if the service is not ready
  allowCrossOrigin,
  checkHost, // 421
  admit, // 503; /metrics is exempt
  answerConsole, // a page, 303, 304, 401, 403, 404, or 429
  limitAddress, // 429, scope "ip"
  answerMetrics,
  answerOpenApi,
  requireGroup, // 404 outside of the API
  answerTelemetryPreflight, // 204
  limitTelemetry, // 429, scope "ip"
  authenticate, // 401
  matchRoute,
  checkScope, // 403
  answerMcp,
  limitKey, // 429, scope "key"
  requireRoute, // 404
  answerPreflight, // 204
  requireMethod, // 405
  requireOneKey, // 400
  requireStorage, // 507
  decode, // 400, 413, 415, or the response to a body of a player who opted out
  limitDevice, // 429, scope "ip"
  handle, // what the endpoint declares
];

/** Runs the steps until one returns a response. Throws the error of a step. */
export async function runPipeline(
  steps: readonly Step[],
  exchange: Exchange,
  app: AppContext,
): Promise<Response> {
  for (const step of steps) {
    const result = step(exchange, app);
    // Most steps are synchronous. Awaiting them would add a microtask per step to every request.
    const response = result instanceof Promise ? await result : result;
    if (response) return response;
  }
  throw new Error(`No step of the pipeline responded to ${exchange.path}`);
}
