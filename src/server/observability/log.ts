/** The service's log as lines of JSON: every request, every fault with its stack, and never a key. */
import { type Logger, pino } from "pino";
import type { Observer, RequestInfo, RequestOutcome } from "../core/observer.ts";
import { isProbe } from "./probes.ts";
import { redactKeys } from "./redact.ts";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogSettings {
  readonly level: LogLevel;
  /** Unix ms: the time that lines bear. */
  now(): number;
  /** Takes a line, its newline left out. */
  write(line: string): void;
}

/** A log, and what it is told beside requests. */
export interface ServiceLog {
  readonly observer: Observer;
  /** A fault that a client only sees as "Internal error". */
  report(message: string, error: unknown, requestId?: string): void;
  /** Anything else that happens. */
  logEvent(level: LogLevel, event: string, facts: Readonly<Record<string, unknown>>): void;
}

/** Causes of a fault that are followed. */
const MAX_CAUSES = 8;

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
      async request(asked, answer) {
        const began = performance.now();
        const told = await answer();
        logRequest(logger, asked, told, performance.now() - began);
        return told;
      },
      ingest: (commit) => commit(),
      analysis: (_sessionId, analyze) => analyze(),
      transactionRetried: () => logger.debug({ event: "retry" }),
    },
    report(message, error, requestId) {
      const ofRequest = requestId === undefined ? {} : { requestId };
      logger.error({
        event: "fault",
        ...ofRequest,
        message: redactKeys(message),
        fault: describeFault(error),
      });
    },
    logEvent: (at, event, facts) => logger[at]({ event, ...facts }),
  };
}

function logRequest(
  logger: Logger,
  asked: RequestInfo,
  { response, bytes }: RequestOutcome,
  ms: number,
): void {
  const { requestId, method, endpoint, path, address } = asked;
  const { status } = response;
  const [well, badly] = isProbe(endpoint) ? (["debug", "warn"] as const) : (["info", "error"] as const);
  const level = status < 500 ? well : badly;
  const rounded = Math.round(ms * 1000) / 1000;
  logger[level]({ event: "request", requestId, method, endpoint, path, status, ms: rounded, bytes, address });
}

/** A fault and its causes. Fields that errors carry beside are left out: they may hold what was sent. */
function describeFault(error: unknown): { type: string; message: string; stack: string } {
  const stacks: string[] = [];
  for (let at = error; at !== undefined && stacks.length < MAX_CAUSES; at = (at as Error).cause) {
    if (!(at instanceof Error)) break;
    stacks.push(at.stack ?? String(at));
  }
  const isError = error instanceof Error;
  return {
    type: isError ? error.name : typeof error,
    message: redactKeys(isError ? error.message : String(error)),
    stack: redactKeys(stacks.join("\ncaused by ")),
  };
}
