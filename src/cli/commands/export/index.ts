/** export: writes datasets to files. */
import { callEndpoint, createClient } from "../../../client/client.ts";
import { readAhead } from "../../../client/read-ahead.ts";
import { datasetNames, datasets } from "../../../export/datasets/index.ts";
import { type ExportSeries, type MissingSeries, planSeries } from "../../../export/export-plan.ts";
import { createFolderInspector } from "../../../export/files/inspect-folder.ts";
import { formatExtension } from "../../../export/formats/index.ts";
import type { ExportJob } from "../../../export/job.ts";
import { ExportReader, exportEndpoints, isRawEventsPage, UNPACED } from "../../../export/reader.ts";
import { type PutResult, runExport } from "../../../export/run.ts";
import { type BucketWidth, findBucketStart } from "../../../shared/calendar.ts";
import { HOUR_MS } from "../../../shared/time-units.ts";
import { command, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { resolveGames } from "./games.ts";
import { type Log, withLog } from "./log.ts";
import { type ExportFlags, type ExportOptions, exportFlags, resolveOptions } from "./options.ts";
import {
  describeLeftOut,
  estimateRequests,
  formatEstimate,
  planResult,
  runResult,
  toMissingRow,
} from "./result.ts";
import { openState, openTarget, withLocks } from "./sidecar-files.ts";

const datasetList = [...datasets.values()].map(({ name, help }) => `  ${name.padEnd(13)}${help}`).join("\n");
/** The datasets without time. */
const snapshots = [...datasets.values()].filter(({ extent }) => extent === null).map(({ name }) => name);

const exportCommand = command({
  path: "export",
  summary: "Export datasets to files",
  details:
    "If you stop an export, run the same command again to continue. `playtest help exports` describes the datasets and " +
    "files.",
  topic: {
    name: "exports",
    summary: "Datasets, files and rate limits of exports",
    text:
      "The datasets are:\n\n" +
      datasetList +
      `\n\n${snapshots.join(", ")} show the current state and are not split by time.` +
      "\n\nIn a folder, an export writes one file per dataset and game and, for datasets that are split by time, one per " +
      "hour, day or week (--by). DuckDB and other tools can read this layout. Each file is written completely or not at " +
      "all, and has a manifest. If the hour, day or week is not over, the file is marked as open, and the next run " +
      "rewrites it.\n\n" +
      "An export waits up to one hour for the rate limit and several minutes for an unavailable service, or for " +
      "--max-wait if it is set. If a game fails, the command lists what is missing and exits with code 12. In a folder, the " +
      "export continues with the other games. A single file is written only if every game succeeds. Exit code 13 means " +
      "that another export is already writing to the same output.",
    flags: ["gzip", "state", "lookback", "logFormat", "unpaced"],
  },
  args: [
    { name: "<dataset...>", describe: `one or more of ${datasetNames.join(", ")}`, choices: datasetNames },
  ],
  flags: exportFlags,
  examples: [
    "export events --game ember --by day --out exports",
    "export events sessions --all-games --out exports --since-last",
    "export sessions --game ember --from 7d --out sessions.csv.gz",
    "export events --all-games --out exports --dry-run",
  ],
  finishesOnSignal: true,
  resumes: true,
  async run(context, { args, flags: given }) {
    return await withLog(context, given.logFormat ?? "text", async (logContext, log) => {
      const { io, settings } = logContext;
      const { game, fields, jq, json } = settings.flags;
      const options = resolveOptions(args, { ...given, game, fields, jq, json }, io);
      const work = () => planAndRun(logContext, options, given, log);
      const { destination } = options;
      return given.dryRun ? await work() : await withLocks({ destination, state: given.state }, io, work);
    });
  },
});

async function planAndRun(
  context: Context,
  options: ExportOptions,
  given: ExportFlags,
  log: Log,
): Promise<Result> {
  const { reader, service, setExpectedRequests } = await createReader(context, given, log);
  const { games, missing } = await resolveGames(context, reader, given, options.names);
  const job = await createJob(context, options, given, { games, service });
  if (ignoresFrom(job)) {
    const message =
      "--since-last continues where the last run ended, so --from applies only to datasets and games without an earlier run.";
    await log.record("notice", { message }, message);
  }
  if (job.environments.length > 0) {
    const { findEmptyEnvironments } = await import("./environments.ts");
    for (const message of await findEmptyEnvironments(context, reader, job))
      await log.record("notice", { message }, message);
  }
  const plan = await planSeries(reader, job);
  const planned = { series: plan.series, missing: [...missing, ...plan.missing] };
  const onMissing = async (failed: MissingSeries) => {
    const { dataset, game, error } = failed;
    await log.record(
      "missing",
      toMissingRow(failed),
      `Could not export ${dataset} of ${game}: ${error.message}`,
    );
  };
  const count = planned.missing.length + planned.series.length;
  // As text, the error that ends the command already describes a single failure.
  if (planned.missing.length < count || count > 1 || given.logFormat === "json") {
    for (const failed of planned.missing) await onMissing(failed);
    if (planned.series.length === 0) await logDone(log, reader, planned.missing);
  }
  throwIfAllMissing(planned.missing, count);
  const estimate = estimateRequests(planned.series, !given.unpaced);
  const planText = `${given.dryRun ? "Planned" : "Exporting"}: ${formatEstimate(estimate)}`;
  await log.record("plan", { ...estimate }, planText);
  for (const series of planned.series) {
    const text = describeLeftOut(series);
    if (text === null) continue;
    const fields = { dataset: series.dataset.name, game: series.scope.game.slug, ...series.leftOut };
    await log.record("left-out", fields, text);
  }
  if (given.dryRun) return planResult(planned.series, planned.missing, estimate);
  setExpectedRequests(reader.requests + estimate.requests);
  const target = await openTarget(context, options, { service, games: games.map(({ slug }) => slug) });
  const onPut = async ({ dataset, scope }: ExportSeries, put: PutResult) => {
    const { slug } = scope.game;
    const name = put.file ?? `${dataset.name} of ${slug}`;
    const text = `${name}: ${put.rows} ${put.rows === 1 ? "row" : "rows"}${put.open ? " (open)" : ""}`;
    const fields = { dataset: dataset.name, game: slug, ...put };
    if (context.io.err.isTTY) await log.showProgress(text);
    else await log.record("written", fields, text);
  };
  const outcome = await runExport(job, planned, { reader, target, onPut, onMissing });
  await logDone(log, reader, outcome.missing);
  throwIfAllMissing(outcome.missing, count);
  return runResult(outcome.reports, outcome.missing, {
    requests: reader.requests,
    kind: options.destination.kind,
  });
}

/** Whether --from has no effect on some series, because an earlier run with another --from has exported them. */
function ignoresFrom({ datasets, games, state, from, by }: ExportJob): boolean {
  if (from === undefined || state === null) return false;
  const start = findBucketStart(from, by);
  return datasets.some((name) =>
    games.some(({ id }) => {
      const cursor = state.cursor(name, id);
      return cursor !== null && start > cursor.begun;
    }),
  );
}

async function logDone(
  log: Log,
  { requests }: ExportReader,
  missing: readonly MissingSeries[],
): Promise<void> {
  await log.record(
    "done",
    { requests, missing: missing.length },
    `Done: ${requests} ${requests === 1 ? "request" : "requests"}`,
  );
}

/** If every series failed, throws the error of the first one. */
function throwIfAllMissing(missing: readonly MissingSeries[], total: number): void {
  const [first] = missing;
  if (first !== undefined && missing.length === total) throw first.error;
}

/** How long one request waits for the rate limit by default, ms. */
const DEFAULT_MAX_WAIT_MS = HOUR_MS;

/** Creates a reader that waits for the rate limit and for an unavailable service. */
async function createReader(context: Context, { unpaced }: ExportFlags, log: Log) {
  const { io, settings } = context;
  const { maxWaitMs } = settings;
  const isDefault = maxWaitMs.source === "default";
  const base = await context.clientOptions({ keepAlive: true });
  const onWait = (reason: string, ms: number) => {
    void log.record("wait", { reason, ms }, `${reason}. Retrying in ${(ms / 1000).toFixed(1)} s`);
  };
  const options = {
    ...base,
    transport: readAhead(base.transport, { isRead: isRawEventsPage, signal: io.signal }),
    waiting: { ...base.waiting, onWait },
    maxWaitMs: isDefault ? DEFAULT_MAX_WAIT_MS : maxWaitMs.value,
  };
  let expected: number | null = null;
  const reader = new ExportReader({
    client: createClient(exportEndpoints, options),
    call: (endpoint, input) => callEndpoint(endpoint, input, options),
    pacer: unpaced ? UNPACED : context.pacer(),
    signal: io.signal,
    maxOutageMs: isDefault ? Number.POSITIVE_INFINITY : maxWaitMs.value,
    monotonicNow: () => io.monotonicNow(),
    sleep: (ms, signal) => io.sleep(ms, signal),
    onWait,
    onFallback: (reason) =>
      void log.record("fallback", { reason }, `Using offset pagination, which takes longer: ${reason}`),
    onUnreadable: (game, events) => {
      const message = `${events} ${events === 1 ? "event" : "events"} of ${game} cannot be read, because the stored data is damaged. The other events are exported.`;
      void log.record("notice", { message, game, events }, message);
    },
    onRequest: (count) =>
      void log.showProgress(
        expected === null ? `Planning: request ${count}` : `Request ${count} of about ${expected}`,
      ),
  });
  const setExpectedRequests = (requests: number) => {
    expected = requests;
  };
  return { reader, service: base.baseUrl, setExpectedRequests };
}

async function createJob(
  { io }: Context,
  { names, destination, format, gzip }: ExportOptions,
  given: ExportFlags,
  { games, service }: { readonly games: ExportJob["games"]; readonly service: string },
): Promise<ExportJob> {
  const { env, from, to, lookback: lookbackMs } = given;
  const environments = [...new Set(env)].sort();
  const by: BucketWidth = given.by ?? "day";
  const split = destination.kind === "folder";
  const query = { service, by, environments, format, gzip };
  const continues = given.sinceLast && destination.kind === "folder";
  const state = continues ? await openState(destination.path, given, io, query) : null;
  const extension = formatExtension({ format, gzip });
  const folder = continues ? createFolderInspector(destination.path, extension) : null;
  const range = { by, from, to, now: io.now(), split };
  return { datasets: names, games, environments, ...range, state, lookbackMs, folder };
}

export const commands = [exportCommand];
