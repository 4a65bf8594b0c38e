/** How a served service is watched: metrics, lines of JSON, traces. What each needs is loaded only where it is asked for. */
import { escapeJson } from "../../../render/text.ts";
import { combineObservers, type Observer } from "../../../server/core/observer.ts";
import type { Result } from "../../command.ts";
import { version } from "../../constants.generated.ts";
import type { Context } from "../../context.ts";
import type { Environment } from "../../environment.ts";
import { fail } from "../../errors.ts";
import { choice, type FlagValues, toggle } from "../../flags.ts";
import { writeStderr } from "../../io.ts";
import { logFormats, withLog } from "../export/log.ts";
import { createTextReporter, type Instrumentation } from "./instrumentation.ts";
import { withServiceErrors } from "./service-errors.ts";

/** As the service's log knows them; its file is loaded only for lines of JSON. */
const levels = ["debug", "info", "warn", "error"] as const;

export const observeFlags = {
  metrics: toggle("--metrics", "serve Prometheus metrics at /metrics, without a key"),
  logFormat: choice(
    "--log-format <format>",
    "log format on standard error: text or json, one line per request (default: text)",
    logFormats,
  ),
  logLevel: choice("--log-level <level>", "minimum level of JSON log lines (default: info)", levels),
} as const;

type ObserveFlags = FlagValues<typeof observeFlags>;

/** Runs a service with what watches it by flags and environment, and lets that go with it. */
export async function withObservers(
  context: Context,
  flags: ObserveFlags,
  serve: (own: Context, watching: Instrumentation) => Promise<Result>,
): Promise<Result> {
  if (flags.logLevel !== undefined && flags.logFormat !== "json") {
    throw fail("usage", {
      message: "--log-level is of lines of JSON",
      hint: "Add --log-format json, or leave it out.",
    });
  }
  if (flags.logFormat !== "json")
    return await withMetricsAndTraces(context, flags, [], createTextReporter(context), serve);
  const { startLog } = await import("../../../server/observability/log.ts");
  const { io } = context;
  const log = startLog({
    level: flags.logLevel ?? "info",
    now: () => io.now(),
    write: (line) => void writeStderr(io, `${escapeJson(line)}\n`),
  });
  const tell = async (event: string, facts: Readonly<Record<string, unknown>>) =>
    log.logEvent(event === "error" ? "error" : "info", event, facts);
  return await withLog(
    context,
    "json",
    (own) => withServiceErrors(() => withMetricsAndTraces(own, flags, [log.observer], log.report, serve)),
    {
      record: tell,
      showProgress: async () => {},
    },
  );
}

/** Adds metrics and traces to those who watch already. */
async function withMetricsAndTraces(
  context: Context,
  flags: ObserveFlags,
  told: readonly Observer[],
  report: Instrumentation["report"],
  serve: (own: Context, watching: Instrumentation) => Promise<Result>,
): Promise<Result> {
  const metrics = flags.metrics
    ? (await import("../../../server/observability/metrics.ts")).startMetrics()
    : null;
  const traces = isTraced(context.io.env)
    ? (await import("../../../server/observability/traces.ts")).startTraces({ version, report })
    : null;
  // Traces lie outermost, so that what the others do is seen by none of them.
  const observers = [traces, metrics, ...told].filter((one) => one !== null);
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

/** Whether OpenTelemetry's standard variables ask for traces. One that is empty counts as unset, as its specification says. */
export function isTraced(env: Environment): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === "true") return false;
  if (env.OTEL_TRACES_EXPORTER?.trim() === "none") return false;
  return Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}
