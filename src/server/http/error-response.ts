/** Turns errors into responses, and reports those whose details the client must not see. */
import { commonErrors } from "../../contract/define.ts";
import { ERASED, HttpError } from "../../contract/errors.ts";
import { BUDGET_SPENT, classifyRequest } from "../../contract/refusals.ts";
import { TaskStopped } from "../core/task-stopped.ts";
import { isCorrupt, isTransient } from "../db/errors.ts";
import type { Exchange } from "./exchange.ts";
import type { AppService } from "./service.ts";

/** The value of Retry-After while the database is unavailable or cannot write, ms. */
const TRANSIENT_RETRY_MS = 1000;

/** The value of Retry-After for a read that took too long or too much memory, ms. It would do so again. */
const EXPENSIVE_RETRY_MS = 60_000;

/** The message of a 503 while a node of a sharded database is down. */
const NODE_DOWN = "A database node is down, and some games are unavailable";

/** The possible errors of a request without an endpoint. */
const unroutedErrors = ["not_found", "method_not_allowed"] as const;

/** Reports errors to the operator of the service. */
export interface FaultReporter {
  readonly report: AppService["report"];
  /** Throttled, because an unavailable or damaged database affects every request. */
  readonly reportTransient: AppService["report"];
}

/** What the response to a failed request says. */
export interface ErrorResponse {
  readonly status: number;
  readonly body: { readonly error: string };
}

/** Describes the response to a failed request, and sets its headers. */
export function describeError(
  exchange: Exchange,
  error: unknown,
  service: AppService,
  reporter: FaultReporter,
): ErrorResponse {
  const declared = toDeclaredError(exchange, error, service, reporter);
  const { message, status, extra, issues, code } = declared;
  if (exchange.group?.telemetry) recordRefusal(exchange, declared, service);
  if (code === "rate_limited" && extra.reason !== BUDGET_SPENT)
    exchange.outcome.limit = extra.scope === "key" ? "key" : "ip";
  if (typeof extra.retryAfterMs === "number") {
    exchange.headers["retry-after"] = String(Math.ceil(extra.retryAfterMs / 1000));
  }
  const body = { error: message, ...extra, ...(issues.length > 0 ? { issues } : {}) };
  return { status: status ?? 500, body };
}

/** Counts a refused telemetry request and, if its account is known, adds it to the live tail. */
function recordRefusal(exchange: Exchange, { code, status, message, extra }: HttpError, service: AppService) {
  const reason = classifyRequest(code, extra.reason);
  exchange.outcome.refusal = reason;
  if (!exchange.key) return;
  // The ids of what was erased must not be stored again.
  const body = reason === ERASED ? {} : (exchange.input?.body ?? {});
  const { deviceId, sessionId } = body as Readonly<Record<string, unknown>>;
  const { account_id, game_id } = exchange.key;
  service.arrivals.addRefusals(account_id, game_id, [
    {
      // The message of `extra` says what is unknown.
      reason,
      message: String(extra.message ?? message),
      status,
      index: null,
      name: null,
      deviceId: typeof deviceId === "string" ? deviceId : null,
      sessionId: typeof sessionId === "string" ? sessionId : null,
    },
  ]);
}

/** Returns an error that the contract declares unchanged. Reports others and returns `unavailable` or `internal`. */
function toDeclaredError(
  exchange: Exchange,
  error: unknown,
  service: AppService,
  reporter: FaultReporter,
): HttpError {
  if (error instanceof HttpError && isDeclared(exchange, error)) return error;
  if (error instanceof TaskStopped && (error.reason === "canceled" || error.reason === "stopping"))
    return new HttpError("unavailable", { cause: error, extra: { retryAfterMs: TRANSIENT_RETRY_MS } });
  const transient = isTransient(error);
  // Stopping the service aborts waiting requests, which is not worth reporting.
  if (!service.stopping.aborted) {
    const report = transient || isCorrupt(error) ? reporter.reportTransient : reporter.report;
    const { request, logged, requestId } = exchange;
    report(`${request.method} ${logged.path} (${requestId})`, error, requestId);
  }
  if (error instanceof TaskStopped)
    return new HttpError("unavailable", {
      cause: error,
      message: "The answer takes too long to compute",
      extra: { retryAfterMs: EXPENSIVE_RETRY_MS },
    });
  if (transient)
    return new HttpError("unavailable", {
      cause: error,
      ...(service.store.isComplete() ? {} : { message: NODE_DOWN }),
      extra: { retryAfterMs: TRANSIENT_RETRY_MS },
    });
  return new HttpError("internal", { cause: error });
}

function isDeclared({ endpoint }: Exchange, { code }: HttpError): boolean {
  return commonErrors.includes(code) || (endpoint?.errors ?? unroutedErrors).includes(code);
}
