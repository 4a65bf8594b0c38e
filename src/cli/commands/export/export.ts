/** export: writes datasets to files, unattended. */
import { createClient } from "../../../client/client.ts";
import { datasetNames } from "../../../export/datasets/index.ts";
import { fileFormats } from "../../../export/formats/index.ts";
import { type Job, type Missing, planSeries, type Series } from "../../../export/plan.ts";
import { endpoints, Reader, UNPACED } from "../../../export/reader.ts";
import { type Put, runExport } from "../../../export/run.ts";
import { type By, widths } from "../../../shared/calendar.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/time-units.ts";
import { command, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { age, choice, list, text, time, toggle, type Values } from "../../flags.ts";
import { gamesOf } from "./games.ts";
import { type Log, logFormats, withLog } from "./log.ts";
import { type Options, optionsOf } from "./options.ts";
import { openState, STATE, withLocks } from "./places.ts";
import { estimateOf, estimateText, missingRow, planResult, runResult } from "./result.ts";
import { openTarget } from "./target.ts";

/** Sessions come late: a game sends what it could not send when its player is next online. */
const LOOKBACK = 2 * DAY_MS;

const flags = {
  by: choice("--by <width>", "hour, day or week of a partition (UTC), default day", widths),
  from: time("--from <time>", "recorded no earlier; partitions are always whole"),
  to: time("--to <time>", "recorded no later; partitions are always whole"),
  env: list("--env <slug>", "environment; may be given again, without it all together"),
  games: text("--games <list>", "several games, separated by commas"),
  allGames: toggle("--all-games", "every game of the account"),
  out: text(
    "--out <path>",
    "a folder of partitions, a file (.ndjson, .csv, .parquet, .gz), or - (the default)",
  ),
  format: choice(
    "--format <format>",
    "ndjson, csv or parquet; by the file's ending unless told",
    fileFormats,
  ),
  gzip: toggle("--gzip", "compress ndjson and csv"),
  sinceLast: toggle("--since-last", "go on after what earlier runs completed"),
  state: text("--state <file>", `what --since-last remembers, default ${STATE} in the folder`),
  lookback: age("--lookback <time>", "read so much again of what was complete, default 2d"),
  dryRun: toggle("--dry-run", "print the plan: files, requests and minutes"),
  logFormat: choice("--log-format <format>", "text or json, on standard error", logFormats),
  unpaced: toggle("--unpaced", "send as fast as it goes: for a service without limits"),
} as const;

type Flags = Values<typeof flags>;

export const exportCommand = command({
  path: "export",
  summary: "Write datasets to files, unattended and resumable",
  details:
    "Files appear whole or not at all, each with a manifest; a folder is partitioned by game and time, as DuckDB and " +
    "others read it. An hour, day or week that is not over is marked open and written again by the next run. Waits for " +
    "the rate limit an hour at most, and minutes for a service that is down. A game that fails does not stop the others: " +
    "exit code 12 lists what is missing. 13 says that another export is at work there.",
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
      const options = optionsOf(args, { ...given, game, fields, jq }, own.io);
      const work = () => perform(own, options, given, log);
      const { destination } = options;
      return given.dryRun ? await work() : await withLocks({ destination, state: given.state }, own.io, work);
    });
  },
});

async function perform(context: Context, options: Options, given: Flags, log: Log): Promise<Result> {
  const { reader, service, reckon } = await readerOf(context, given, log);
  const { games, missing } = await gamesOf(context, reader, given, options.names);
  const job = await jobOf(context, options, given, { games, service });
  const plan = await planSeries(reader, job);
  const planned = { series: plan.series, missing: [...missing, ...plan.missing] };
  const onMissing = async (failed: Missing) => {
    const { dataset, game, error } = failed;
    await log.tell("missing", missingRow(failed), `Missing: ${dataset} of ${game}: ${error.message}`);
  };
  for (const failed of planned.missing) await onMissing(failed);
  const count = planned.missing.length + planned.series.length;
  if (planned.series.length === 0) await tellDone(log, reader, planned.missing);
  stopWithoutAny(planned.missing, count);
  const estimate = estimateOf(planned.series, !given.unpaced);
  if (given.dryRun) return planResult(planned.series, planned.missing, estimate);
  await log.tell("plan", { ...estimate }, `Exporting: ${estimateText(estimate)}`);
  reckon(reader.requests + estimate.requests);
  const target = await openTarget(context, options, { service, games: games.map(({ slug }) => slug) });
  const onPut = async ({ dataset, scope }: Series, put: Put) => {
    const { slug } = scope.game;
    const where = put.file ?? `${dataset.name} of ${slug}`;
    const text = `${where}: ${put.rows} rows${put.open ? ", open" : ""}`;
    const facts = { dataset: dataset.name, game: slug, ...put };
    if (context.io.err.isTTY) await log.show(text);
    else await log.tell("written", facts, text);
  };
  const ran = await runExport(job, planned, { reader, target, onPut, onMissing });
  await tellDone(log, reader, ran.missing);
  stopWithoutAny(ran.missing, count);
  return runResult(ran.reports, ran.missing, {
    requests: reader.requests,
    kind: options.destination.kind,
  });
}

async function tellDone(log: Log, { requests }: Reader, missing: readonly Missing[]): Promise<void> {
  await log.tell("done", { requests, missing: missing.length }, `${requests} requests`);
}

/** Where nothing could be exported, the error is the one that stopped it all. */
function stopWithoutAny(missing: readonly Missing[], of: number): void {
  const [first] = missing;
  if (first !== undefined && missing.length === of) throw first.error;
}

/** How long one request waits for the rate limit unless told, ms: the limit's own window is a minute. */
const MAX_WAIT = HOUR_MS;

/** A reader that waits: for the rate limit, and for a service that is down. */
async function readerOf(context: Context, { unpaced }: Flags, log: Log) {
  const { io, settings } = context;
  const { maxWaitMs } = settings;
  const base = await context.clientOptions({ many: true });
  const onWait = (reason: string, ms: number) => {
    const told = `${reason}: trying again in ${(ms / 1000).toFixed(1)} s`;
    void log.tell("wait", { reason, ms }, told);
  };
  const options = {
    ...base,
    waiting: { ...base.waiting, onWait },
    maxWaitMs: maxWaitMs.source === "default" ? MAX_WAIT : maxWaitMs.value,
  };
  let expected: number | null = null;
  const reader = new Reader({
    client: createClient(endpoints, options),
    pacer: unpaced ? UNPACED : context.pacer(),
    signal: io.signal,
    now: () => io.now(),
    sleep: (ms, signal) => io.sleep(ms, signal),
    onWait,
    onFallback: (reason) =>
      void log.tell("fallback", { reason }, `Reading by offsets, which takes longer: ${reason}`),
    onRequest: (count) =>
      void log.show(
        expected === null ? `Planning: request ${count}` : `Request ${count} of about ${expected}`,
      ),
  });
  const reckon = (requests: number) => {
    expected = requests;
  };
  return { reader, service: base.baseUrl, reckon };
}

async function jobOf(
  { io }: Context,
  { names, destination, format, gzip }: Options,
  given: Flags,
  { games, service }: { readonly games: Job["games"]; readonly service: string },
): Promise<Job> {
  const { env, from, to, lookback = LOOKBACK } = given;
  const environments = [...new Set(env)].sort();
  const by: By = given.by ?? "day";
  const split = destination.kind === "folder";
  const query = { service, by, environments, format, gzip };
  const state =
    given.sinceLast && destination.kind === "folder"
      ? await openState(destination.path, given, io, query)
      : null;
  const lookbackMs = given.sinceLast ? lookback : 0;
  return { datasets: names, games, environments, by, from, to, now: io.now(), split, state, lookbackMs };
}
