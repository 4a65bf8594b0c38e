/** The JSON log of the service: every request, and every fault with its stack. Keys are never logged. */
import { type Logger, pino } from "pino";
import { countEventRefusals } from "../../contract/refusals.ts";
import type { AuditEntry } from "../audit/audit.ts";
import { noopObserver, type Observer, type RequestInfo, type RequestOutcome } from "../core/observer.ts";
import { isProbe, redactForLog, redactKeys, redactMessage } from "./redact.ts";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogSettings {
  readonly level: LogLevel;
  /** The time for log lines, unix ms. */
  now(): number;
  /** Writes a line. The line has no line feed. */
  write(line: string): void;
}

export interface ServiceLog {
  /** Logs requests, retries, what pruning removed, and the progress of repeated analyses. */
  readonly observer: Observer;
  /** Logs a fault that a client only sees as "Internal error". */
  report(message: string, error: unknown, requestId?: string): void;
  /** Logs an administrative change, with the time at which it was made. */
  logChange(entry: AuditEntry): void;
  /** Logs any other event. */
  logEvent(level: LogLevel, event: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Maximum number of stacks in a chain of causes. */
const MAX_STACKS = 8;

export function startLog({ level, now, write }: LogSettings): ServiceLog {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => write(line.trimEnd()) },
  );
  return {
    observer: {
      ...noopObserver,
      async request(request, answer) {
        const start = performance.now();
        const outcome = await answer();
        logRequest(logger, request, outcome, performance.now() - start);
        return outcome;
      },
      async ingest(commit) {
        const receipt = await commit();
        const { sessionId, rejected } = receipt;
        if (rejected.length > 0)
          logger.info({ event: "rejected", sessionId, byReason: countEventRefusals(rejected) });
        return receipt;
      },
      reanalysis: (progress) => logger.info({ event: "reanalysis", ...progress }),
      pruned: (removed) => logger.info({ event: "pruned", ...removed }),
      transactionRetried: () => logger.debug({ event: "retry" }),
      delivery: ({ result, failure, error, ...facts }) =>
        logger[result === "delivered" ? "info" : "warn"]({
          event: "webhook",
          ...facts,
          result,
          ...(error === null ? {} : { failure, error: redactForLog(redactMessage(error)) }),
        }),
      modelFailed: ({ error, ...facts }) =>
        logger.warn({ event: "model", ...facts, error: redactForLog(redactMessage(error)) }),
    },
    report(message, error, requestId) {
      logger.error({
        event: "fault",
        ...(requestId === undefined ? {} : { requestId }),
        message: redactMessage(message),
        fault: describeFault(error),
      });
    },
    logChange: ({ at, ...change }) =>
      logger.info({ event: "audit", at: new Date(at).toISOString(), ...change }),
    logEvent: (eventLevel, event, fields) => logger[eventLevel]({ event, ...fields }),
  };
}

function logRequest(
  logger: Logger,
  request: RequestInfo,
  { response, bytes, refusal }: RequestOutcome,
  ms: number,
): void {
  const { requestId, method, endpoint, path, address } = request;
  const { status } = response;
  const [successLevel, errorLevel] = isProbe(endpoint)
    ? (["debug", "warn"] as const)
    : (["info", "error"] as const);
  const level = status < 500 ? successLevel : errorLevel;
  const rounded = Math.round(ms * 1000) / 1000;
  const fields = { event: "request", requestId, method, endpoint, path, status, ms: rounded, bytes, address };
  logger[level](refusal === null ? fields : { ...fields, refusal });
}

/** Describes an error and its causes. Other fields of errors are left out, because they may contain request data. */
function describeFault(error: unknown): { type: string; message: string; stack: string } {
  const stacks: string[] = [];
  for (let cause = error; cause !== undefined && stacks.length < MAX_STACKS; cause = (cause as Error).cause) {
    if (!(cause instanceof Error)) break;
    stacks.push(describeStack(cause));
  }
  const isError = error instanceof Error;
  return {
    type: isError ? error.name : typeof error,
    message: redactMessage(isError ? error.message : String(error)),
    stack: stacks.join("\ncaused by "),
  };
}

/** The stack of an error, with its message as `redactMessage` leaves it. */
function describeStack({ name, message, stack = "" }: Error): string {
  const frames = stack
    .replace(message, "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line));
  return [`${name}: ${redactMessage(message)}`, ...frames.map(redactKeys)].join("\n");
}
