/** export: writes datasets to files, unattended. */
import { createClient } from "../../../client/client.ts";
import { datasetNames } from "../../../export/datasets/index.ts";
import { fileFormats } from "../../../export/formats/index.ts";
import { type ExportJob, type ExportSeries, type MissingSeries, planSeries } from "../../../export/plan.ts";
import { ExportReader, exportEndpoints, UNPACED } from "../../../export/reader.ts";
import { type PutResult, runExport } from "../../../export/run.ts";
import { type BucketWidth, bucketWidths } from "../../../shared/calendar.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/time-units.ts";
import { command, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { age, choice, type FlagValues, list, text, time, toggle } from "../../flags.ts";
import { resolveGames } from "./games.ts";
import { type Log, logFormats, withLog } from "./log.ts";
import { type ExportOptions, resolveOptions } from "./options.ts";
import { estimateRequests, formatEstimate, planResult, runResult, toMissingRow } from "./result.ts";
import { openState, STATE_FILE, withLocks } from "./sidecar-files.ts";
import { openTarget } from "./target.ts";

/** Sessions come late: a game sends what it could not send when its player is next online. */
const DEFAULT_LOOKBACK_MS = 2 * DAY_MS;

const flags = {
  by: choice("--by <width>", "partition by UTC hour, day or week (default: day)", bucketWidths),
  from: time("--from <time>", "recorded at or after; extended to whole partitions"),
  to: time("--to <time>", "recorded at or before; extended to whole partitions"),
  env: list("--env <slug>", "environment (repeatable; default: all environments combined)"),
  games: text("--games <list>", "comma-separated list of games"),
  allGames: toggle("--all-games", "export all games of the account"),
  out: text(
    "--out <path>",
    "folder for partitions, file (.ndjson, .csv, .parquet, .gz), or - for standard output (default: -)",
  ),
  format: choice(
    "--format <format>",
    "ndjson, csv or parquet (default: from the file extension; parquet in a folder, ndjson to standard output)",
    fileFormats,
  ),
  gzip: toggle("--gzip", "compress ndjson and csv with gzip"),
  sinceLast: toggle("--since-last", "continue after the data that earlier runs completed"),
  state: text("--state <file>", `state file for --since-last (default: ${STATE_FILE} in the folder)`),
  lookback: age("--lookback <time>", "re-export this much already exported data (default: 2d)"),
  dryRun: toggle("--dry-run", "print the planned files, requests and minutes without exporting"),
  logFormat: choice(
    "--log-format <format>",
    "log format on standard error: text or json (default: text)",
    logFormats,
  ),
  unpaced: toggle("--unpaced", "send requests without delays, for a service without rate limits"),
} as const;

type ExportFlags = FlagValues<typeof flags>;

export const exportCommand = command({
  path: "export",
  summary: "Export datasets to files",
  details:
    "Exports can run unattended and can be resumed. Each file is written completely or not at all, and has a " +
    "manifest. A folder is partitioned by game and time in a layout that DuckDB and other tools can read. An " +
    "hour, day or week that is not over is marked as open and rewritten by the next run. The export waits up " +
    "to one hour for the rate limit and several minutes for an unavailable service. If one game fails, the " +
    "export continues with the others, lists what is missing and exits with code 12. Exit code 13 means that " +
    "another export is already writing there.",
  args: [{ name: "<dataset...>", describe: datasetNames.join(", "), choices: datasetNames }],
  flags,
  examples: [
    "export events --game ember --by day --out exports",
    "export events sessions --all-games --out exports --since-last --lookback 3d",
    "export sessions --game ember --from 7d --out sessions.csv.gz",
    "export events --all-games --out exports --dry-run",
  ],
  async run(context, { args, flags: given }) {
    return await withLog(context, given.logFormat ?? "text", async (own, log) => {
      const { game, fields, jq } = own.settings.flags;
      const options = resolveOptions(args, { ...given, game, fields, jq }, own.io);
      const work = () => planAndRun(own, options, given, log);
      const { destination } = options;
      return given.dryRun ? await work() : await withLocks({ destination, state: given.state }, own.io, work);
    });
  },
});

async function planAndRun(
  context: Context,
  options: ExportOptions,
  given: ExportFlags,
  log: Log,
): Promise<Result> {
  const { reader, service, reckon } = await createReader(context, given, log);
  const { games, missing } = await resolveGames(context, reader, given, options.names);
  const job = await createJob(context, options, given, { games, service });
  const plan = await planSeries(reader, job);
  const planned = { series: plan.series, missing: [...missing, ...plan.missing] };
  const onMissing = async (failed: MissingSeries) => {
    const { dataset, game, error } = failed;
    await log.record("missing", toMissingRow(failed), `Missing: ${dataset} of ${game}: ${error.message}`);
  };
  for (const failed of planned.missing) await onMissing(failed);
  const count = planned.missing.length + planned.series.length;
  if (planned.series.length === 0) await logDone(log, reader, planned.missing);
  throwIfAllMissing(planned.missing, count);
  const estimate = estimateRequests(planned.series, !given.unpaced);
  if (given.dryRun) return planResult(planned.series, planned.missing, estimate);
  await log.record("plan", { ...estimate }, `Exporting: ${formatEstimate(estimate)}`);
  reckon(reader.requests + estimate.requests);
  const target = await openTarget(context, options, { service, games: games.map(({ slug }) => slug) });
  const onPut = async ({ dataset, scope }: ExportSeries, put: PutResult) => {
    const { slug } = scope.game;
    const where = put.file ?? `${dataset.name} of ${slug}`;
    const text = `${where}: ${put.rows} rows${put.open ? ", open" : ""}`;
    const facts = { dataset: dataset.name, game: slug, ...put };
    if (context.io.err.isTTY) await log.showProgress(text);
    else await log.record("written", facts, text);
  };
  const ran = await runExport(job, planned, { reader, target, onPut, onMissing });
  await logDone(log, reader, ran.missing);
  throwIfAllMissing(ran.missing, count);
  return runResult(ran.reports, ran.missing, {
    requests: reader.requests,
    kind: options.destination.kind,
  });
}

async function logDone(
  log: Log,
  { requests }: ExportReader,
  missing: readonly MissingSeries[],
): Promise<void> {
  await log.record("done", { requests, missing: missing.length }, `${requests} requests`);
}

/** Where nothing could be exported, the error is the one that stopped it all. */
function throwIfAllMissing(missing: readonly MissingSeries[], of: number): void {
  const [first] = missing;
  if (first !== undefined && missing.length === of) throw first.error;
}

/** How long one request waits for the rate limit unless told, ms: the limit's own window is a minute. */
const DEFAULT_MAX_WAIT_MS = HOUR_MS;

/** A reader that waits: for the rate limit, and for a service that is down. */
async function createReader(context: Context, { unpaced }: ExportFlags, log: Log) {
  const { io, settings } = context;
  const { maxWaitMs } = settings;
  const base = await context.clientOptions({ keepAlive: true });
  const onWait = (reason: string, ms: number) => {
    const told = `${reason}: trying again in ${(ms / 1000).toFixed(1)} s`;
    void log.record("wait", { reason, ms }, told);
  };
  const options = {
    ...base,
    waiting: { ...base.waiting, onWait },
    maxWaitMs: maxWaitMs.source === "default" ? DEFAULT_MAX_WAIT_MS : maxWaitMs.value,
  };
  let expected: number | null = null;
  const reader = new ExportReader({
    client: createClient(exportEndpoints, options),
    pacer: unpaced ? UNPACED : context.pacer(),
    signal: io.signal,
    now: () => io.now(),
    sleep: (ms, signal) => io.sleep(ms, signal),
    onWait,
    onFallback: (reason) =>
      void log.record("fallback", { reason }, `Reading by offsets, which takes longer: ${reason}`),
    onRequest: (count) =>
      void log.showProgress(
        expected === null ? `Planning: request ${count}` : `Request ${count} of about ${expected}`,
      ),
  });
  const reckon = (requests: number) => {
    expected = requests;
  };
  return { reader, service: base.baseUrl, reckon };
}

async function createJob(
  { io }: Context,
  { names, destination, format, gzip }: ExportOptions,
  given: ExportFlags,
  { games, service }: { readonly games: ExportJob["games"]; readonly service: string },
): Promise<ExportJob> {
  const { env, from, to, lookback = DEFAULT_LOOKBACK_MS } = given;
  const environments = [...new Set(env)].sort();
  const by: BucketWidth = given.by ?? "day";
  const split = destination.kind === "folder";
  const query = { service, by, environments, format, gzip };
  const state =
    given.sinceLast && destination.kind === "folder"
      ? await openState(destination.path, given, io, query)
      : null;
  const lookbackMs = given.sinceLast ? lookback : 0;
  return { datasets: names, games, environments, by, from, to, now: io.now(), split, state, lookbackMs };
}
