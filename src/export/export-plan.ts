/** Plans an export: its series, their time ranges, and an estimate of the requests. */
import { ClientError, type ClientErrorCode } from "../client/errors.ts";
import type { Game } from "../contract/games.ts";
import { bucketAt, findBucketStart, type TimeSpan } from "../shared/calendar.ts";
import type { Dataset, DatasetExtent, ExportScope } from "./datasets/dataset.ts";
import { getDataset } from "./datasets/index.ts";
import { ExportError, type ExportErrorCode } from "./errors.ts";
import type { LeftOut } from "./files/manifest.ts";
import type { ExportJob } from "./job.ts";
import type { ExportReader } from "./reader.ts";
import { planResume, type ResumePlan } from "./resume.ts";
import { ALL_TIME } from "./state.ts";

/** One dataset of one game. */
export interface ExportSeries {
  readonly dataset: Dataset<unknown>;
  readonly scope: ExportScope;
  /** What is exported again, and the state to continue with; null without --since-last and for datasets without time. */
  readonly resume: ResumePlan | null;
  /** The time that decides to which file a row belongs; null for datasets without time. */
  readonly time: string | null;
  /** The requested time range; null for datasets without time and for empty ranges. */
  readonly requested: TimeSpan | null;
  /** The estimated time of the first row, unix ms; null without rows and for datasets without time. */
  readonly first: number | null;
  /** The estimated number of requests. */
  readonly requests: number;
  /** The maximum number of files. */
  readonly files: number;
  /** What the range does not include; null for datasets without time and for empty ranges. */
  readonly leftOut: LeftOut | null;
}

/** A series that could not be exported, and why. */
export interface MissingSeries {
  readonly dataset: string;
  /** The game as the user specified it. */
  readonly game: string;
  readonly error: ClientError | ExportError;
}

/** Errors that end the whole export, because every other series would fail with them too. */
const fatalClientCodes: ReadonlySet<ClientErrorCode> = new Set([
  "unauthorized",
  "forbidden",
  "invalid_input",
]);
const fatalExportCodes: ReadonlySet<ExportErrorCode> = new Set(["conflict", "locked"]);

/** Returns an error that affects only one series. Throws any other error again. */
export function rethrowFatal(error: unknown): MissingSeries["error"] {
  if (error instanceof ClientError && !fatalClientCodes.has(error.code)) return error;
  if (error instanceof ExportError && !fatalExportCodes.has(error.code)) return error;
  throw error;
}

/** Reads the extent of each dataset and game, and what its time range leaves out, with a few requests each. */
export async function planSeries(
  reader: ExportReader,
  job: ExportJob,
): Promise<{ readonly series: readonly ExportSeries[]; readonly missing: readonly MissingSeries[] }> {
  const series: ExportSeries[] = [];
  const missing: MissingSeries[] = [];
  for (const name of job.datasets) {
    for (const game of job.games) {
      try {
        series.push(await planOneSeries(reader, job, getDataset(name), game));
      } catch (error) {
        missing.push({ dataset: name, game: game.slug, error: rethrowFatal(error) });
      }
    }
  }
  return { series, missing };
}

async function planOneSeries(
  reader: ExportReader,
  job: ExportJob,
  dataset: Dataset<unknown>,
  game: Game,
): Promise<ExportSeries> {
  const { environments, by, split } = job;
  const scope = { game, environments, by, split, span: null };
  const nothing = { dataset, scope, requested: null, extent: null, leftOut: null, resume: null, time: null };
  if (dataset.extent === null) return toSeries({ ...nothing, repeatedRequests: 0 });
  const time = (await dataset.partitionTime?.(reader, game)) ?? null;
  const first = job.from === undefined || !split ? job.from : Math.max(0, findBucketStart(job.from, by));
  const resume = job.state === null ? null : await planResume(reader, job, { dataset, game, first, time });
  const requested = resolveRequestedSpan(job, resume === null ? first : resume.from);
  const repeatedRequests = await estimateRepeatedRequests(
    reader,
    job,
    { dataset, scope },
    resume?.again ?? [],
  );
  if (isEmptySpan(requested)) return toSeries({ ...nothing, time, resume, repeatedRequests });
  const span = { from: 0, ...requested };
  const extent = await dataset.extent(reader, game, requested, by);
  // What changes before the range is exported again, so only what is before the first run is left out.
  const from = resume !== null && resume.changes !== null ? resume.cursor.begun : span.from;
  const leftOut = await countLeftOut(reader, dataset, scope, { requested, from, now: job.now });
  const planned = { dataset, requested: span, extent, leftOut, resume, time, repeatedRequests };
  return toSeries({ ...planned, scope: extent === null ? scope : { ...scope, span, items: extent.items } });
}

async function countLeftOut(
  reader: ExportReader,
  { counter }: Dataset<unknown>,
  scope: ExportScope,
  {
    requested,
    from,
    now,
  }: Pick<ExportJob, "now"> & { readonly requested: RequestedSpan; readonly from: number },
): Promise<LeftOut | null> {
  if (counter === null) return null;
  const count = (range: Partial<TimeSpan>) => counter.count(reader, scope, range);
  const before = from > 0 ? await count({ to: from - 1 }) : 0;
  const { to } = requested;
  const later = (await counter.mayHaveLater(reader, scope, requested)) ? await count({ from: to + 1 }) : 0;
  const future = later > 0 && to < now ? await count({ from: now + 1 }) : later;
  // Items may be deleted between the two requests.
  return { before, after: Math.max(0, later - future), future };
}

function toSeries({
  extent,
  repeatedRequests,
  ...series
}: Omit<ExportSeries, "first" | "requests" | "files"> & {
  readonly extent: DatasetExtent | null;
  /** The estimated number of requests for changed periods before the range. */
  readonly repeatedRequests: number;
}): ExportSeries {
  const { dataset, scope, requested, resume } = series;
  const hasFiles = dataset.extent === null || extent !== null;
  const files = scope.split && extent !== null ? extent.buckets : hasFiles ? 1 : 0;
  const first =
    extent === null ? null : Math.max(requested?.from ?? 0, findBucketStart(extent.oldest, scope.by));
  const again = resume?.again.length ?? 0;
  return {
    ...series,
    first,
    requests: dataset.requests(scope, extent) + repeatedRequests,
    files: files + again,
  };
}

/** Without reading its size, so few changed periods are expected to take one request each. */
const MAX_UNCOUNTED_PERIODS = 3;

/** Estimates the requests for reading changed periods again: at most one for each period and environment. */
async function estimateRepeatedRequests(
  reader: ExportReader,
  job: ExportJob,
  { dataset, scope }: Pick<ExportSeries, "dataset" | "scope">,
  again: readonly number[],
): Promise<number> {
  const [first, last] = [again[0], again.at(-1)];
  if (first === undefined || last === undefined) return 0;
  const single = again.length * Math.max(1, job.environments.length);
  if (again.length <= MAX_UNCOUNTED_PERIODS) return single;
  const span = { from: first, to: findPartitionEnd(last, job) };
  const extent = (await dataset.extent?.(reader, scope.game, span, job.by)) ?? null;
  return Math.min(single, dataset.requests({ ...scope, span }, extent));
}

/** Without `from`, everything up to `to`. */
type RequestedSpan = Partial<TimeSpan> & Pick<TimeSpan, "to">;

const isEmptySpan = ({ from = 0, to }: RequestedSpan) => from > to;

/**
 * The time range to read. It ends now, so a session with a wrong clock in the future is read when its time has come. It
 * is extended to whole partitions, because an incomplete day must not replace a complete one.
 */
function resolveRequestedSpan(job: ExportJob, start: number | undefined): RequestedSpan {
  const { now, to } = job;
  return {
    ...(start === undefined ? {} : { from: start }),
    to: findPartitionEnd(Math.min(to ?? now, now), job),
  };
}

/** The last ms of the partition of a time; the time itself without partitions. */
function findPartitionEnd(ms: number, { by, split }: ExportJob): number {
  return split ? bucketAt(ms, by, ALL_TIME).end - 1 : ms;
}
