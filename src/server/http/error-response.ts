/** Turns what a step throws into the one error body, and reports what the client is not told. */
import { commonErrors } from "../../contract/define.ts";
import { HttpError } from "../../contract/errors.ts";
import { isTransient } from "../db/error-codes.ts";
import { redactForLog } from "../observability/redact.ts";
import { type Exchange, respond } from "./exchange.ts";
import type { AppService } from "./service.ts";

/** When a client may try again after the database was unavailable or could not store, ms. */
const TRANSIENT_RETRY_MS = 1000;

/** The errors of a request that has reached no endpoint. */
const unroutedErrors = ["not_found", "method_not_allowed"] as const;

/** Where faults are reported: those that pass by themselves less often than each request meets them. */
export interface FaultReports {
  readonly report: AppService["report"];
  readonly reportTransient: AppService["report"];
}

export function respondWithError(
  exchange: Exchange,
  error: unknown,
  service: AppService,
  reports: FaultReports,
): Response {
  const { message, status, extra, issues, code } = toDeclaredError(exchange, error, service, reports);
  if (code === "rate_limited") exchange.outcome.limit = extra.scope === "key" ? "key" : "ip";
  if (typeof extra.retryAfterMs === "number") {
    exchange.headers["retry-after"] = String(Math.ceil(extra.retryAfterMs / 1000));
  }
  const body = { error: message, ...extra, ...(issues.length > 0 ? { issues } : {}) };
  return respond(exchange, status ?? 500, JSON.stringify(body));
}

/** The error itself where the contract declares it; otherwise `unavailable` or `internal`, and the fault is reported. */
function toDeclaredError(
  exchange: Exchange,
  error: unknown,
  service: AppService,
  reports: FaultReports,
): HttpError {
  if (error instanceof HttpError && isDeclared(exchange, error)) return error;
  const transient = isTransient(error);
  // A request that still waits when the service stops is cut off by that, not by a fault.
  if (!service.stopping.aborted) {
    const report = transient ? reports.reportTransient : reports.report;
    const { request, path, requestId } = exchange;
    report(`${request.method} ${redactForLog(path)} (${requestId})`, error, requestId);
  }
  if (transient)
    return new HttpError("unavailable", { cause: error, extra: { retryAfterMs: TRANSIENT_RETRY_MS } });
  return new HttpError("internal", { cause: error });
}

function isDeclared({ endpoint }: Exchange, { code }: HttpError): boolean {
  return commonErrors.includes(code) || (endpoint?.errors ?? unroutedErrors).includes(code);
}
