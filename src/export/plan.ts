/** What an export will read: the series, their time, and about how many requests they take. */
import { ClientError, type ClientErrorCode } from "../client/errors.ts";
import type { Game } from "../contract/games.ts";
import { type BucketWidth, bucketAt, findBucketStart, type TimeSpan } from "../shared/calendar.ts";
import type { Dataset, DatasetExtent, ExportScope } from "./datasets/dataset.ts";
import { type DatasetName, datasets } from "./datasets/index.ts";
import { ExportError, type ExportErrorCode } from "./errors.ts";
import type { ExportReader } from "./reader.ts";
import type { Cursor, ExportState } from "./state.ts";

/** What is to be exported. */
export interface ExportJob {
  readonly datasets: readonly DatasetName[];
  readonly games: readonly Game[];
  readonly environments: readonly string[];
  readonly by: BucketWidth;
  /** Unix ms; undefined for as early as there is anything, and up to now. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Unix ms: what is not over by then is open. */
  readonly now: number;
  /** Whether every bucket becomes a file of its own. */
  readonly split: boolean;
  /** Null where nothing is remembered between runs. */
  readonly state: ExportState | null;
  /** How far before what is complete to read again, ms. */
  readonly lookbackMs: number;
}

/** One dataset of one game. */
export interface ExportSeries {
  readonly dataset: Dataset<unknown>;
  readonly scope: ExportScope;
  /** The time that was asked for, from as early as there is time; null for what has none, and where it is none. */
  readonly requested: TimeSpan | null;
  /** About where its rows begin, unix ms; null where there are none or they have no time. */
  readonly first: number | null;
  /** About how many requests it takes. */
  readonly requests: number;
  /** At most so many files come of it. */
  readonly files: number;
}

/** What could not be exported, and why. */
export interface MissingSeries {
  readonly dataset: string;
  /** As it was named. */
  readonly game: string;
  readonly error: ClientError | ExportError;
}

/** Errors that end the whole export: every other series would fail as well. */
const fatalClientCodes: ReadonlySet<ClientErrorCode> = new Set([
  "unauthorized",
  "forbidden",
  "invalid_input",
]);
const fatalExportCodes: ReadonlySet<ExportErrorCode> = new Set(["conflict", "locked"]);

/** The error of one series that does not stop the others. Throws any other error again. */
export function rethrowFatal(error: unknown): MissingSeries["error"] {
  if (error instanceof ClientError && !fatalClientCodes.has(error.code)) return error;
  if (error instanceof ExportError && !fatalExportCodes.has(error.code)) return error;
  throw error;
}

/** Looks up what there is of each dataset and game, two requests each at most. */
export async function planSeries(
  reader: ExportReader,
  job: ExportJob,
): Promise<{ readonly series: readonly ExportSeries[]; readonly missing: readonly MissingSeries[] }> {
  const series: ExportSeries[] = [];
  const missing: MissingSeries[] = [];
  for (const name of job.datasets) {
    for (const game of job.games) {
      try {
        series.push(await planOneSeries(reader, job, datasets[name], game));
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
  if (dataset.extent === null) return toSeries(dataset, scope, null, null);
  const asked = resolveRequestedSpan(job, dataset, game);
  if (isEmptySpan(asked)) return toSeries(dataset, scope, null, null);
  const all = { from: 0, ...asked };
  const extent = await dataset.extent(reader, game, asked, by);
  if (extent === null) return toSeries(dataset, scope, all, null);
  return toSeries(dataset, { ...scope, span: all }, all, extent);
}

function toSeries(
  dataset: Dataset<unknown>,
  scope: ExportScope,
  asked: TimeSpan | null,
  extent: DatasetExtent | null,
): ExportSeries {
  const hasFiles = dataset.extent === null || extent !== null;
  const files = scope.split && extent !== null ? extent.buckets : hasFiles ? 1 : 0;
  const first = extent === null ? null : Math.max(asked?.from ?? 0, findBucketStart(extent.oldest, scope.by));
  return { dataset, scope, requested: asked, first, requests: dataset.requests(scope, extent), files };
}

/** Without `from` as early as there is anything. */
type RequestedSpan = Partial<TimeSpan> & Pick<TimeSpan, "to">;

const isEmptySpan = ({ from = 0, to }: RequestedSpan) => from > to;

/**
 * The time asked for, up to now: what a wrong clock recorded later is read when its time has come. Partitions are whole, whatever was asked: a part of a day must not replace the whole of it. What is
 * complete is not read again, but for the lookback.
 */
function resolveRequestedSpan(job: ExportJob, { name }: Dataset<unknown>, game: Game): RequestedSpan {
  const { by, from, to, split, state, lookbackMs } = job;
  const cursor = state?.cursor(name, game.id) ?? null;
  if (cursor !== null) rejectFutureCursor(cursor, job, `${name} of ${game.slug}`);
  const begin = from === undefined || !split ? from : Math.max(0, findBucketStart(from, by));
  if (cursor !== null && begin !== undefined && begin < cursor.begun) {
    throw new ExportError(
      "conflict",
      `--from ${new Date(begin).toISOString()} is before ${new Date(cursor.begun).toISOString()}, where the state of ${name} of ${game.slug} begins`,
      "Leave --from out, or export the time before without --since-last.",
    );
  }
  const start =
    cursor === null ? begin : Math.max(cursor.begun, findBucketStart(cursor.complete - lookbackMs, by));
  return {
    ...(start === undefined ? {} : { from: start }),
    to: endOfPartition(Math.min(to ?? job.now, job.now), job),
  };
}

/** Nothing is complete that is not over: a clock that ran ahead once would end every export for as long. */
function rejectFutureCursor({ begun, complete }: Cursor, { now, by }: ExportJob, what: string): void {
  const known = Math.max(begun, complete);
  if (known <= bucketAt(now, by, ALL_TIME).end) return;
  throw new ExportError(
    "conflict",
    `The state of ${what} says that all up to ${formatTimestamp(known)} is exported, and it is ${formatTimestamp(now)} now`,
    "Set the clock. Where it is right, the one of an earlier run was wrong: remove the state file, and all is exported anew.",
  );
}

const formatTimestamp = (ms: number): string =>
  Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms`;

const ALL_TIME: TimeSpan = { from: 0, to: Number.POSITIVE_INFINITY };

/** The last ms of the partition that a time is in; the time itself where there are none. */
function endOfPartition(ms: number, { by, split }: ExportJob): number {
  return split ? bucketAt(ms, by, ALL_TIME).end - 1 : ms;
}
