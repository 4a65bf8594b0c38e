/** telemetry tail: shows what arrives at the service and what it refuses, as it happens. */
import { readEvents, type ServerEvent } from "../../../client/event-stream.ts";
import { type Arrival, arrival, tailTelemetry } from "../../../contract/telemetry-tail.ts";
import { cleanLine, escapeJson } from "../../../render/text.ts";
import { isoTime } from "../../../render/time.ts";
import { describeData, readEventRoom } from "../../../shared/event-data.ts";
import { command, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { duration, integer, text, toggle } from "../../flags.ts";
import type { TrackingPlan } from "./tracking-plan.ts";

export const tailCommand = command({
  path: "telemetry tail",
  summary: "Show telemetry as it arrives, and what is refused and why",
  details:
    "Shows each event within a second: when it was received, its device, name, room and data. Refused requests and " +
    "events are shown with the reason, and so are warnings about accepted requests. Refused requests without a known game are shown for every game. Requests " +
    "with an unknown key are never shown: the service only counts them in its metrics. If the connection ends, the command " +
    "connects again and continues after the last event.\n\nThe command runs until you press Ctrl-C, or until --for or " +
    "--limit is reached, and exits with code 0. With --plan, it checks each event against a tracking plan, and exits " +
    "with code 10 if any event violated it.",
  flags: {
    device: text("--device <id>", "only this device"),
    event: text("--event <name>", "only events with this name"),
    rejected: toggle("--rejected", "only what was refused"),
    recent: toggle("--recent", "begin with the last 10 minutes"),
    plan: text("--plan <file>", "check events against this tracking plan"),
    for: duration("--for <duration>", "stop after this time"),
    limit: integer("--limit <n>", "stop after this many lines", 1),
  },
  examples: [
    "telemetry tail --game ember",
    "telemetry tail --game ember --rejected",
    "telemetry tail --game ember --plan plan.json --for 10m",
  ],
  async run(context, { flags }) {
    const { io, settings } = context;
    const { jq, fields } = settings.flags;
    if (jq !== undefined || fields !== undefined)
      throw fail("usage", {
        message: "--jq and --fields cannot be used with a stream",
        hint: "Use --json and pipe the lines into jq.",
      });
    const { value: format } = settings.format;
    if (format !== "table" && !writesJson(context))
      throw fail("usage", {
        message: `--format ${format} cannot be used with a stream`,
        hint: "Use --json and convert the lines, or use --format table.",
      });
    const plan =
      flags.plan === undefined ? null : await (await import("./tracking-plan.ts")).readPlan(flags.plan, io);
    const options = await context.clientOptions({});
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    io.signal.addEventListener("abort", onAbort, { once: true });
    if (flags.for !== undefined) void io.sleep(flags.for, stop.signal).then(onAbort, () => {});
    const query = {
      game: (await context.findGame())?.value,
      device: flags.device,
      event: flags.event,
      ...(flags.rejected ? { kind: "refusal" } : {}),
      ...(flags.recent ? {} : { after: "now" }),
    };
    await warnOfUnknownNames(context, flags);
    const events = readEvents(tailTelemetry, query, { ...options, signal: stop.signal });
    const violations = { count: 0 };
    return {
      data: undefined,
      stream: formatEvents(context, events, { limit: flags.limit, plan, violations, stop }),
      concludeStream: () => conclude(violations.count),
    };
  },
});

/** Warns of a device or an event that never arrived. It may be the first one. */
async function warnOfUnknownNames(
  context: Context,
  { device, event }: { readonly device: string | undefined; readonly event: string | undefined },
): Promise<void> {
  if (device === undefined && event === undefined) return;
  const { describeUnknownNames } = await import("../../unknown-names.ts");
  const unknown = await describeUnknownNames(context, { device, event });
  if (unknown !== null) await context.notify(`Warning: ${unknown} Waiting for the first one.`);
}

interface TailOptions {
  readonly limit: number | undefined;
  readonly plan: TrackingPlan | null;
  readonly violations: { count: number };
  readonly stop: AbortController;
}

async function* formatEvents(
  context: Context,
  events: AsyncIterable<ServerEvent>,
  options: TailOptions,
): AsyncGenerator<string> {
  const { limit = Number.POSITIVE_INFINITY } = options;
  let lines = 0;
  try {
    for await (const event of events) {
      const text =
        event.name === "missed" ? formatMissed(event, context) : formatItem(event, context, options);
      if (text === null) continue;
      yield text;
      lines += event.name === "missed" ? 0 : 1;
      if (lines >= limit) return;
    }
  } finally {
    options.stop.abort();
  }
}

const writesJson = ({ settings }: Context) => ["json", "ndjson"].includes(settings.format.value);

function formatMissed({ data }: ServerEvent, context: Context): string {
  const { missed } = (data ?? {}) as { readonly missed?: unknown };
  return writesJson(context) ? toJsonLine({ missed }) : `(missed ${Number(missed)} events)\n`;
}

/** Formats an event, a refusal or a warning; null for anything else, which a newer service may send. */
function formatItem(
  { data }: ServerEvent,
  context: Context,
  { plan, violations }: TailOptions,
): string | null {
  const item = arrival.safeParse(data);
  if (!item.success) return null;
  const { event } = item.data;
  const faults = plan && event ? plan.check(event.name, event.data) : [];
  if (faults.length > 0) violations.count += 1;
  if (writesJson(context))
    return toJsonLine(plan === null ? item.data : { ...item.data, violations: faults });
  return formatArrival(item.data, faults, context);
}

const toJsonLine = (value: unknown) => `${escapeJson(JSON.stringify(value))}\n`;

function formatArrival(item: Arrival, faults: readonly string[], { render }: Context): string {
  const time = isoTime(item.receivedAt, render.tz).slice(11);
  const { event, refusal } = item;
  const what = event
    ? [event.name, readEventRoom(event.data), describeData(event.data)]
    : [item.kind === "warning" ? "WARNING" : "REFUSED", ...describeRefusal(refusal)];
  const parts = [time, item.deviceId ?? "-", ...what].filter((part) => part !== null && part !== undefined);
  const violations = faults.map((fault) => `  VIOLATION ${cleanLine(fault)}\n`);
  return `${cleanLine(parts.join("  "))}\n${violations.join("")}`;
}

function describeRefusal(refusal: Arrival["refusal"]): string[] {
  if (!refusal) return [];
  const { reason, message, status, index, name } = refusal;
  const subject =
    typeof index === "number" ? `event ${index}${name ? ` (${name})` : ""}` : `request (HTTP ${status})`;
  return [reason, `${subject}: ${message}`];
}

function conclude(violations: number): Result["verdict"] {
  if (violations === 0) return undefined;
  const message = `${violations} ${violations === 1 ? "event violates" : "events violate"} the tracking plan`;
  return { code: "check_failed", message, hint: "Correct the events in the game, or change the plan." };
}
