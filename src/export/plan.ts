/** What an export will read: the series, their time, and about how many requests they take. */
import { ClientError, type ClientErrorCode } from "../client/errors.ts";
import type { Game } from "../contract/games.ts";
import { type By, bucketAt, type Span, startOf } from "../shared/calendar.ts";
import type { Dataset, Extent, Scope } from "./datasets/dataset.ts";
import { type DatasetName, datasets } from "./datasets/index.ts";
import { ExportError, type ExportErrorCode } from "./errors.ts";
import type { Reader } from "./reader.ts";
import type { Cursor, State } from "./state.ts";

/** What is to be exported. */
export interface Job {
  readonly datasets: readonly DatasetName[];
  readonly games: readonly Game[];
  readonly environments: readonly string[];
  readonly by: By;
  /** Unix ms; undefined for as early as there is anything, and up to now. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Unix ms: what is not over by then is open. */
  readonly now: number;
  /** Whether every bucket becomes a file of its own. */
  readonly split: boolean;
  /** Null where nothing is remembered between runs. */
  readonly state: State | null;
  /** How far before what is complete to read again, ms. */
  readonly lookbackMs: number;
}

/** One dataset of one game. */
export interface Series {
  readonly dataset: Dataset<unknown>;
  readonly scope: Scope;
  /** The time that was asked for, from as early as there is time; null for what has none, and where it is none. */
  readonly asked: Span | null;
  /** About where its rows begin, unix ms; null where there are none or they have no time. */
  readonly first: number | null;
  /** About how many requests it takes. */
  readonly requests: number;
  /** At most so many files come of it. */
  readonly files: number;
}

/** What could not be exported, and why. */
export interface Missing {
  readonly dataset: string;
  /** As it was named. */
  readonly game: string;
  readonly error: ClientError | ExportError;
}

/** Errors that end the whole export: every other series would fail as well. */
const fatalAnswers: ReadonlySet<ClientErrorCode> = new Set(["unauthorized", "forbidden", "invalid_input"]);
const fatalCodes: ReadonlySet<ExportErrorCode> = new Set(["conflict", "locked"]);

/** The error of one series that does not stop the others. Throws any other error again. */
export function survivable(error: unknown): Missing["error"] {
  if (error instanceof ClientError && !fatalAnswers.has(error.code)) return error;
  if (error instanceof ExportError && !fatalCodes.has(error.code)) return error;
  throw error;
}

/** Looks up what there is of each dataset and game, two requests each at most. */
export async function planSeries(
  reader: Reader,
  job: Job,
): Promise<{ readonly series: readonly Series[]; readonly missing: readonly Missing[] }> {
  const series: Series[] = [];
  const missing: Missing[] = [];
  for (const name of job.datasets) {
    for (const game of job.games) {
      try {
        series.push(await seriesOf(reader, job, datasets[name], game));
      } catch (error) {
        missing.push({ dataset: name, game: game.slug, error: survivable(error) });
      }
    }
  }
  return { series, missing };
}

async function seriesOf(reader: Reader, job: Job, dataset: Dataset<unknown>, game: Game): Promise<Series> {
  const { environments, by, split } = job;
  const scope = { game, environments, by, split, span: null };
  if (dataset.extent === null) return planned(dataset, scope, null, null);
  const asked = askedSpan(job, dataset, game);
  if (isNone(asked)) return planned(dataset, scope, null, null);
  const all = { from: 0, ...asked };
  const extent = await dataset.extent(reader, game, asked, by);
  if (extent === null) return planned(dataset, scope, all, null);
  return planned(dataset, { ...scope, span: all }, all, extent);
}

function planned(dataset: Dataset<unknown>, scope: Scope, asked: Span | null, extent: Extent | null): Series {
  const hasFiles = dataset.extent === null || extent !== null;
  const files = scope.split && extent !== null ? extent.buckets : hasFiles ? 1 : 0;
  const first = extent === null ? null : Math.max(asked?.from ?? 0, startOf(extent.oldest, scope.by));
  return { dataset, scope, asked, first, requests: dataset.requests(scope, extent), files };
}

/** Without `from` as early as there is anything. */
type AskedSpan = Partial<Span> & Pick<Span, "to">;

const isNone = ({ from = 0, to }: AskedSpan) => from > to;

/**
 * The time asked for, up to now: what a wrong clock recorded later is read when its time has come. Partitions are whole, whatever was asked: a part of a day must not replace the whole of it. What is
 * complete is not read again, but for the lookback.
 */
function askedSpan(job: Job, { name }: Dataset<unknown>, game: Game): AskedSpan {
  const { by, from, to, split, state, lookbackMs } = job;
  const cursor = state?.cursor(name, game.id) ?? null;
  if (cursor !== null) refuseFuture(cursor, job, `${name} of ${game.slug}`);
  const begin = from === undefined || !split ? from : Math.max(0, startOf(from, by));
  if (cursor !== null && begin !== undefined && begin < cursor.begun) {
    throw new ExportError(
      "conflict",
      `--from ${new Date(begin).toISOString()} is before ${new Date(cursor.begun).toISOString()}, where the state of ${name} of ${game.slug} begins`,
      "Leave --from out, or export the time before without --since-last.",
    );
  }
  const start = cursor === null ? begin : Math.max(cursor.begun, startOf(cursor.complete - lookbackMs, by));
  return {
    ...(start === undefined ? {} : { from: start }),
    to: lastOf(Math.min(to ?? job.now, job.now), job),
  };
}

/** Nothing is complete that is not over: a clock that ran ahead once would end every export for as long. */
function refuseFuture({ begun, complete }: Cursor, { now, by }: Job, what: string): void {
  const known = Math.max(begun, complete);
  if (known <= bucketAt(now, by, ALWAYS).end) return;
  throw new ExportError(
    "conflict",
    `The state of ${what} says that all up to ${timeText(known)} is exported, and it is ${timeText(now)} now`,
    "Set the clock. Where it is right, the one of an earlier run was wrong: remove the state file, and all is exported anew.",
  );
}

const timeText = (ms: number): string => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms`);

const ALWAYS: Span = { from: 0, to: Number.POSITIVE_INFINITY };

/** The last ms of the partition that a time is in; the time itself where there are none. */
function lastOf(ms: number, { by, split }: Job): number {
  return split ? bucketAt(ms, by, ALWAYS).end - 1 : ms;
}
