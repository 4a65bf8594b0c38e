/** Runs a planned export: series by series, part by part, each part to where it belongs. */
import { type Bucket, findBucketStart } from "../shared/calendar.ts";
import type { ExportPart } from "./datasets/dataset.ts";
import { type ExportJob, type ExportSeries, type MissingSeries, rethrowFatal } from "./plan.ts";
import type { ExportReader } from "./reader.ts";

/** Where parts go. */
export interface ExportTarget {
  /** Before anything is written. Throws `conflict` where what is there of a series is of another query. */
  check(series: ExportSeries): Promise<void>;
  /** Writes a part whole; `open` where more may come to its time. Null where it has no rows and needs no file. */
  put(series: ExportSeries, part: ExportPart<unknown>, open: boolean): Promise<PutResult | null>;
  /** Removes what is there of a series after `before` and ahead of `label`, for it is empty now. */
  clear(series: ExportSeries, before: string | null, label: string | null): Promise<void>;
  /** After the last series. */
  finish(whole: boolean): Promise<void>;
  /** Where an error ends everything. */
  abandon(): Promise<void>;
}

export interface PutResult {
  /** The path of the file below the folder; null where parts share a file or a stream. */
  readonly file: string | null;
  readonly rows: number;
  /** Of the file; 0 where it is shared. */
  readonly bytes: number;
  readonly open: boolean;
}

/** What came of one series. */
export interface SeriesReport {
  readonly dataset: string;
  readonly game: string;
  files: number;
  /** Of the files, those that are open. */
  open: number;
  rows: number;
  bytes: number;
}

export interface RunOptions {
  readonly reader: ExportReader;
  readonly target: ExportTarget;
  onPut(series: ExportSeries, put: PutResult): Promise<void>;
  onMissing(missing: MissingSeries): Promise<void>;
}

/** Exports every series; what fails is answered beside what was written. */
export async function runExport(
  job: ExportJob,
  planned: { readonly series: readonly ExportSeries[]; readonly missing: readonly MissingSeries[] },
  options: RunOptions,
): Promise<{ readonly reports: readonly SeriesReport[]; readonly missing: readonly MissingSeries[] }> {
  const { target, onMissing } = options;
  const missing = [...planned.missing];
  const reports: SeriesReport[] = [];
  try {
    for (const series of planned.series) await checkTarget(target, series);
    for (const series of planned.series) {
      const { name } = series.dataset;
      const { slug } = series.scope.game;
      const report = { dataset: name, game: slug, files: 0, open: 0, rows: 0, bytes: 0 };
      reports.push(report);
      try {
        await runSeries(job, series, report, options);
      } catch (error) {
        const failed = { dataset: name, game: slug, error: rethrowFatal(error) };
        missing.push(failed);
        await onMissing(failed);
      }
    }
    await target.finish(missing.length === 0);
  } catch (error) {
    await target.abandon();
    throw error;
  }
  return { reports, missing };
}

async function checkTarget(target: ExportTarget, series: ExportSeries): Promise<void> {
  try {
    await target.check(series);
  } catch (error) {
    // What is in one series' way is told when it is its turn.
    rethrowFatal(error);
  }
}

async function runSeries(
  job: ExportJob,
  series: ExportSeries,
  report: SeriesReport,
  { reader, target, onPut }: RunOptions,
): Promise<void> {
  const { dataset, scope } = series;
  let before: string | null = null;
  for await (const part of dataset.parts(reader, scope)) {
    const { bucket } = part;
    const open = isOpen(series, bucket, job.now);
    if (bucket !== null) await target.clear(series, before, bucket.label);
    const put = await target.put(series, part, open);
    before = bucket?.label ?? null;
    if (put !== null) {
      report.files += put.file === null ? 0 : 1;
      report.open += put.open ? 1 : 0;
      report.rows += put.rows;
      report.bytes += put.bytes;
      await onPut(series, put);
    }
    if (bucket !== null && !open) await advanceCursor(job, series, bucket.end);
  }
  await target.clear(series, before, null);
  if (scope.span === null) return;
  await advanceCursor(
    job,
    series,
    Math.min(findBucketStart(job.now, job.by), findBucketStart(scope.span.to + 1, job.by)),
  );
}

/** Whether more may come to a part's time; what has no time is of now alone. */
function isOpen({ scope }: ExportSeries, bucket: Bucket | null, now: number): boolean {
  return bucket === null ? scope.span !== null && scope.span.to >= now : bucket.end > now;
}

async function advanceCursor(
  { state, from, by }: ExportJob,
  { dataset, scope }: ExportSeries,
  complete: number,
): Promise<void> {
  if (state === null) return;
  await state.advance(
    dataset.name,
    scope.game.id,
    from === undefined ? 0 : findBucketStart(from, by),
    complete,
  );
}
