/** Observability of a local service: errors, metrics, JSON logs and traces. Each is loaded only if it is enabled. */
import { cleanLine, escapeJson } from "../../../render/text.ts";
import type { AuditEntry } from "../../../server/audit/audit.ts";
import type { Dependencies } from "../../../server/core/dependencies.ts";
import { combineObservers, noopObserver, type Observer } from "../../../server/core/observer.ts";
import type { AppOptions } from "../../../server/http/context.ts";
import { redactForLog, redactMessage } from "../../../server/observability/redact.ts";
import { version } from "../../../shared/version.prepared.ts";
import type { Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import type { Environment } from "../../environment.ts";
import { fail } from "../../errors.ts";
import { choice, type FlagValues, toggle } from "../../flags.ts";
import { writeStderr } from "../../io.ts";
import { logFormats, withLog } from "../export/log.ts";
import { withServiceErrors } from "./service-errors.ts";

export interface Instrumentation {
  readonly observer: Observer;
  readonly report: Dependencies["report"];
  readonly metrics?: AppOptions["metrics"];
  /** Logs an administrative change; absent without a JSON log. */
  readonly logChange?: (entry: AuditEntry) => void;
}

/** Reports errors of the service as lines on stderr. */
export function createTextReporter(context: Context): Instrumentation["report"] {
  return (what, error) =>
    void context.notify(`error in ${what}: ${redactMessage(String((error as Error)?.message ?? error))}`);
}

/** Reports failed requests to AI models as lines on stderr. */
const createTextObserver = (context: Context): Observer => ({
  ...noopObserver,
  modelFailed: ({ accountId, error }) =>
    void context.notify(
      `AI model of account ${accountId} failed: ${cleanLine(redactForLog(redactMessage(error)))}`,
    ),
});

/** The log levels of the service. Not imported, because its log module is loaded only for JSON logs. */
const levels = ["debug", "info", "warn", "error"] as const;

export const observeFlags = {
  metrics: toggle("--metrics", "serve Prometheus metrics at /metrics, without a key"),
  logFormat: choice(
    "--log-format <format>",
    "`text` (no request lines) or `json` (one line per request), on standard error (default: text)",
    logFormats,
  ),
  logLevel: choice(
    "--log-level <level>",
    "debug, info, warn or error (default: info); requires --log-format json",
    levels,
  ),
} as const;

type ObserveFlags = FlagValues<typeof observeFlags>;

/** Runs a service with the observers that flags and environment enable, and stops them afterwards. */
export async function withObservers(
  context: Context,
  flags: ObserveFlags,
  serve: (context: Context, instrumentation: Instrumentation) => Promise<Result>,
): Promise<Result> {
  if (flags.logLevel !== undefined && flags.logFormat !== "json") {
    throw fail("usage", {
      message: "--log-level requires --log-format json",
      hint: "Add --log-format json, or omit --log-level.",
    });
  }
  if (flags.logFormat !== "json") {
    const observers = [createTextObserver(context)];
    return await withMetricsAndTraces(context, flags, observers, createTextReporter(context), serve);
  }
  const { startLog } = await import("../../../server/observability/log.ts");
  const { io } = context;
  const log = startLog({
    level: flags.logLevel ?? "info",
    now: () => io.now(),
    write: (line) => void writeStderr(io, `${escapeJson(line)}\n`),
  });
  const record = async (event: string, facts: Readonly<Record<string, unknown>>) =>
    log.logEvent(event === "error" ? "error" : "info", event, facts);
  const serveLogged = (logContext: Context) =>
    withMetricsAndTraces(logContext, flags, [log.observer], log.report, (observed, instrumentation) =>
      serve(observed, { ...instrumentation, logChange: log.logChange }),
    );
  const work = (logContext: Context) => withServiceErrors(() => serveLogged(logContext));
  return await withLog(context, "json", work, { record, showProgress: async () => {} });
}

/** Adds metrics and traces to the observers. */
async function withMetricsAndTraces(
  context: Context,
  flags: ObserveFlags,
  others: readonly Observer[],
  report: Instrumentation["report"],
  serve: (context: Context, instrumentation: Instrumentation) => Promise<Result>,
): Promise<Result> {
  const metrics = flags.metrics
    ? (await import("../../../server/observability/metrics.ts")).startMetrics()
    : null;
  const traces = isTraced(context.io.env)
    ? (await import("../../../server/observability/traces.ts")).startTraces({ version, report })
    : null;
  // Traces come first, so that spans do not include the work of the other observers.
  const observers = [traces, metrics, ...others].filter((observer) => observer !== null);
  try {
    return await serve(context, {
      observer: combineObservers(observers),
      report,
      ...(metrics ? { metrics: metrics.scrape } : {}),
    });
  } finally {
    metrics?.stop();
    await traces?.stop();
  }
}

/** Whether the standard variables of OpenTelemetry enable traces. An empty variable counts as unset, per its specification. */
export function isTraced(env: Environment): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === "true") return false;
  if (env.OTEL_TRACES_EXPORTER?.trim() === "none") return false;
  return Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}
