/**
 * The request pipeline: every check that a request passes, in the order that decides which error wins.
 *
 * Nothing is learned without a key. A path outside of the API is a 404 at once; inside it, a path that does not exist is
 * told from one that does only after the key was authenticated, had its scope checked, and was counted.
 */
import type { AppContext, Step } from "./context.ts";
import type { Exchange } from "./exchange.ts";
import { authenticate, checkHost, checkScope, requireGroup, requireOneKey } from "./steps/access.ts";
import { decode, handle } from "./steps/call.ts";
import { allowCrossOrigin, answerPreflight, answerTelemetryPreflight } from "./steps/cors.ts";
import { limitAddress, limitKey, limitTelemetry } from "./steps/limits.ts";
import { answerMcp } from "./steps/mcp.ts";
import { matchRoute, requireMethod, requireRoute } from "./steps/routing.ts";
import { admit, answerMetrics, answerOpenApi, answerProbe } from "./steps/system.ts";

export const pipeline: readonly Step[] = [
  answerProbe, // 200, or 503 where the service is not ready
  allowCrossOrigin,
  checkHost, // 421
  admit, // 503; /metrics is exempt
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
  decode, // 400, 413, 415
  handle, // what the endpoint declares
];

/** Passes a request through the steps until one of them answers. Throws what a step throws. */
export async function runPipeline(
  steps: readonly Step[],
  exchange: Exchange,
  app: AppContext,
): Promise<Response> {
  for (const step of steps) {
    const result = step(exchange, app);
    // Most steps are synchronous, and waiting for them would cost every request a turn of the event loop.
    const response = result instanceof Promise ? await result : result;
    if (response) return response;
  }
  throw new Error(`No step answered ${exchange.path}`);
}
