/** telemetry expect: checks that a run of the game sent certain events. */
import { readOptionalFacts } from "../../../client/scorecard.ts";
import * as facts from "../../../contract/build-facts.ts";
import * as events from "../../../contract/events.ts";
import * as sessions from "../../../contract/sessions.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { suggestSimilar } from "../../../shared/similar-names.ts";
import { DAY_MS } from "../../../shared/time-units.ts";
import { command, createTable, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { findOtherEnvironment } from "../../default-environment.ts";
import { CliError, fail } from "../../errors.ts";
import { duration, text, time } from "../../flags.ts";
import { buildEndpoints } from "../builds/endpoints.ts";
import { createBuildScope, resolveBuild } from "../builds/resolve.ts";
import {
  addCounts,
  checkExpectation,
  checkMetric,
  describeExpectation,
  type Expectation,
  type ExpectationRow,
  type Measurements,
  measureExpected,
  parseExpectation,
} from "./expectations.ts";

/** Time between two looks at the service while waiting, ms. */
const POLL_MS = 2000;

export const expectCommand = command({
  path: "telemetry expect",
  summary: "Check that a run of the game sent certain events",
  details:
    "Counts the events of the matching sessions by name, and exits with code 10 if an expectation is not met. An " +
    "expectation is the name of an event, alone (at least one) or with a comparison: >=, >, ==, <, <=. It can also be a metric of " +
    "performance with a comparison: frame-time-p95 and load-time in ms, stutter in frames per minute, and memory in MB, in all rooms or in one, such " +
    "as `frame-time-p95:dock<=33`. `event:memory>=1` is about an event with such a name. Metrics are measured when the sessions are analyzed, " +
    "by default those of the latest build. By default, all " +
    "sessions of the game count, so the command belongs into `playtest server exec`, where the service has only the " +
    "sessions of this run. On a service with other sessions, use --since, --build, --env or --device.\n\nThe service " +
    "counts up to 2,000 names for each game, and all others together. If the result depends on those, it is unknown, and " +
    "the command exits with code 11 if no expectation failed.\n\nWith --wait, " +
    "expectations that are not met are checked again until the time is over. An upper bound that is met once is not " +
    "checked again.",
  args: [{ name: "<expectation...>", describe: "such as 'player_death>=1' or level_completed" }],
  flags: {
    build: text("--build <version>", "only sessions of this build version, `latest` or `previous`"),
    env: text("--env <slug>", "only sessions of this environment"),
    device: text("--device <id>", "only sessions of this device"),
    since: time("--since <time>", "only sessions that the service received at or after"),
    wait: duration("--wait <duration>", "how long to wait until all expectations are met (default: 0)"),
  },
  examples: [
    "telemetry expect 'player_death>=1' --game ember --wait 30s",
    "telemetry expect player_death --game ember --build 0.9.0",
  ],
  async run(context, { args, flags }) {
    const { io } = context;
    const expectations = args.map(parseExpectation);
    const metrics = expectations.filter(({ isMetric }) => isMetric);
    if (metrics.length > 0 && (flags.device ?? flags.since) !== undefined) throw selectionError(metrics[0]);
    const game = await context.requireGame();
    const deadline = io.monotonicNow() + (flags.wait ?? 0);
    for (;;) {
      const { counts, sessionCount } = await countEvents(context, { game, ...flags });
      const { values, reason }: Measurements =
        metrics.length === 0 || sessionCount === 0
          ? { values: new Map(), reason: null }
          : await measureMetrics(context, metrics, { game, ...flags });
      const rows = expectations.map((expectation) =>
        expectation.isMetric ? checkMetric(expectation, values) : checkExpectation(expectation, counts),
      );
      if (rows.every(({ met }) => met)) return toResult(rows, sessionCount, null);
      if (io.monotonicNow() + POLL_MS > deadline)
        return toResult(
          rows,
          sessionCount,
          reason ?? (await findReason(context, rows, { counts, sessionCount }, flags)),
        );
      await context.progress(`Waiting for ${rows.find(({ met }) => !met)?.event}`);
      await io.sleep(POLL_MS, io.signal);
    }
  },
});

const selectionError = (expectation: Expectation | undefined) =>
  fail("usage", {
    message: `${expectation?.event} is measured in all sessions of a build, so it cannot be combined with --device or --since`,
    hint: "Select the sessions with --build and --env.",
  });

interface SessionSelection {
  readonly game: string;
  readonly build: string | undefined;
  readonly env: string | undefined;
  readonly device: string | undefined;
  readonly since: number | undefined;
}

interface EventCounts {
  readonly counts: ReadonlyMap<string, number>;
  readonly sessionCount: number;
}

/** How much the clock of a device may be behind, ms. Sessions are listed by the time of the device. */
const MAX_CLOCK_LAG_MS = DAY_MS;

/** Counts the events of all matching sessions by name. The service only has these counts without --device and --since. */
async function countEvents(context: Context, selection: SessionSelection): Promise<EventCounts> {
  const { game, build, env, device, since } = selection;
  if (device !== undefined || since !== undefined) return await sumSessions(context, selection);
  const client = await context.client(events);
  const { byName, sessionCount } = await client.getEvents({ game, build, env });
  return { counts: new Map(Object.entries(byName)), sessionCount };
}

async function sumSessions(
  context: Context,
  { game, build, env, device, since }: SessionSelection,
): Promise<EventCounts> {
  const client = await context.client(sessions, { keepAlive: true });
  const counts = new Map<string, number>();
  let sessionCount = 0;
  const pacer = context.pacer();
  const from = since === undefined ? undefined : Math.max(0, since - MAX_CLOCK_LAG_MS);
  for (let offset = 0; ; ) {
    await pacer.before();
    const page = await client.listSessions({ game, build, env, from, limit: 100, offset });
    for (const { id, receivedAt } of page.items) {
      if (since !== undefined && (receivedAt ?? 0) < since) continue;
      await pacer.before();
      const { session } = await client.getSession({ id });
      if (device !== undefined && session.deviceId !== device) continue;
      sessionCount += 1;
      addCounts(counts, session.event_counts ?? {});
    }
    offset += page.items.length;
    if (!page.hasMore || page.items.length === 0) return { counts, sessionCount };
  }
}

/** A name that may be mistyped: a filter that no session matches, or an expected event that did not arrive. */
async function findReason(
  context: Context,
  rows: readonly ExpectationRow[],
  { counts, sessionCount }: EventCounts,
  { build, env, device }: Pick<SessionSelection, "build" | "env" | "device">,
): Promise<string | null> {
  if (sessionCount === 0) {
    const { describeUnknownNames } = await import("../../unknown-names.ts");
    return await describeUnknownNames(context, { build, env, device });
  }
  const missing = rows.find(({ met, count }) => met === false && count === 0);
  return missing === undefined ? null : suggestSimilar(missing.event, [...counts.keys()], null);
}

/** Measures the metrics of performance in the sessions of a build: the highest value of the rooms of a metric without a room. */
async function measureMetrics(
  context: Context,
  expectations: readonly Expectation[],
  { game, build, env: chosen }: SessionSelection,
): Promise<Measurements> {
  const client = await context.client({ ...buildEndpoints, ...facts });
  const env = chosen ?? (await findOtherEnvironment(context)) ?? undefined;
  const version = build ?? (await findLatestBuild(client, createBuildScope(context, game, env)));
  if (version === null) return { values: new Map(), reason: "No session has a build version." };
  const read = await readOptionalFacts(client, { game, version, env });
  if (typeof read === "string")
    throw fail("unsupported", {
      message: "This service does not report the performance of sessions",
      hint: "Expect events instead.",
    });
  return measureExpected(read.group, expectations);
}

/** The latest build; null as long as no session has a version. */
async function findLatestBuild(
  client: Parameters<typeof resolveBuild>[0],
  scope: Parameters<typeof resolveBuild>[1],
): Promise<string | null> {
  try {
    return await resolveBuild(client, scope, "latest");
  } catch (error) {
    if (error instanceof CliError && error.code === "not_found") return null;
    throw error;
  }
}

const columns = defineColumns<ExpectationRow>({
  event: { header: "EVENT", shrink: 1 },
  expected: { header: "EXPECTED" },
  count: { header: "COUNT", value: ({ count }) => count ?? "none" },
  met: {
    header: "RESULT",
    value: ({ met }) => (met === null ? "unknown" : met ? "met" : "not met"),
    tone: ({ met }) => (met === null ? "strong" : met ? "good" : "bad"),
  },
});

function toResult(rows: readonly ExpectationRow[], sessionCount: number, reason: string | null): Result {
  const data = { sessions: sessionCount, expectations: rows };
  const table = createTable(rows, columns, "");
  const sessions = `${sessionCount} ${sessionCount === 1 ? "session" : "sessions"}`;
  const failed = rows.filter(({ met }) => met === false);
  const unknown = rows.filter(({ met }) => met === null);
  if (failed.length > 0) {
    const message = `Not met in ${sessions}: ${failed.map(describeExpectation).join(", ")}`;
    const tail = "Run `playtest telemetry tail --recent` to see what arrived and what was refused.";
    const hint = reason === null ? tail : `${reason} ${tail}`;
    return { data, items: rows, table, verdict: { code: "check_failed", message, hint } };
  }
  if (unknown.length > 0) {
    const message = `Unknown in ${sessions}, because the game has too many event names: ${unknown.map(describeExpectation).join(", ")}`;
    const hint = "Send ids and texts as data of an event, not as its name, and use a new database.";
    return { data, items: rows, table, verdict: { code: "inconclusive", message, hint } };
  }
  return { data, items: rows, table };
}
