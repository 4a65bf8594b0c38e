/** Runs a planned export: one series after the other, one part at a time. */
import { type Bucket, findBucketStart } from "../shared/calendar.ts";
import type { ExportPart } from "./datasets/dataset.ts";
import { type ExportSeries, type MissingSeries, rethrowFatal } from "./export-plan.ts";
import type { LeftOut } from "./files/manifest.ts";
import type { ExportJob } from "./job.ts";
import type { ExportReader } from "./reader.ts";
import type { ResumePlan } from "./resume.ts";
import type { Cursor } from "./state.ts";
import { joinStarts, listStarts } from "./state.ts";

class SeriesProgress {
  readonly #job: ExportJob;
  readonly #series: ExportSeries;
  readonly #resume: ResumePlan;
  /** The starts of the hours, days or weeks that have files. */
  readonly #files: Set<number>;
  #cursor: Cursor;

  constructor(job: ExportJob, series: ExportSeries, resume: ResumePlan) {
    this.#job = job;
    this.#series = series;
    this.#resume = resume;
    this.#cursor = resume.cursor;
    this.#files = new Set(listStarts(resume.cursor.files, job.by));
  }

  /** Records whether an hour, day or week has a file. Saved with the next progress. */
  record(start: number, hasFile: boolean): void {
    if (hasFile) this.#files.add(start);
    else this.#files.delete(start);
  }

  /** Saves that everything complete is exported as of the changes that the plan has read. */
  async continue(): Promise<void> {
    const { from = 0, changes } = this.#resume;
    // What follows is exported now. Files of it that no longer have rows are removed.
    for (const start of this.#files) if (start >= from) this.#files.delete(start);
    await this.#save({ ...this.#cursor, changes });
  }

  /** Saves that everything before a time, unix ms, is exported. */
  async advance(complete: number): Promise<void> {
    await this.#save({ ...this.#cursor, complete: Math.max(this.#cursor.complete, complete) });
  }

  async #save(cursor: Cursor): Promise<void> {
    const { dataset, scope } = this.#series;
    this.#cursor = { ...cursor, files: joinStarts(this.#files, this.#job.by) };
    await this.#job.state?.save(dataset.name, scope.game.id, this.#cursor);
  }
}

export interface ExportTarget {
  /** Called before anything is written. Throws `conflict` if existing files of the series belong to a different query. */
  check(series: ExportSeries): Promise<void>;
  /** Writes a part completely. `open` means that its time is not over. Null if it has no rows and needs no file. */
  put(series: ExportSeries, part: ExportPart<unknown>, open: boolean): Promise<PutResult | null>;
  /** Removes the files of a series between the labels `before` and `label` (exclusive), which no longer have rows. */
  clear(series: ExportSeries, before: string | null, label: string | null): Promise<void>;
  /** Called after the last series. `complete` is false if a series is missing. */
  finish(complete: boolean): Promise<void>;
  /** Called instead of `finish` after a fatal error. */
  abandon(): Promise<void>;
}

export interface PutResult {
  /** The path of the file within the folder; null if all parts share one file or stream. */
  readonly file: string | null;
  readonly rows: number;
  /** The size of the file; 0 if it is shared. */
  readonly bytes: number;
  readonly open: boolean;
}

export interface SeriesReport {
  readonly dataset: string;
  readonly game: string;
  files: number;
  open: number;
  rows: number;
  bytes: number;
  /** What the time range does not include; null for datasets without time. */
  readonly leftOut: LeftOut | null;
}

interface RunOptions {
  readonly reader: ExportReader;
  readonly target: ExportTarget;
  onPut(series: ExportSeries, put: PutResult): Promise<void>;
  onMissing(missing: MissingSeries): Promise<void>;
}

/** Exports all series. Returns the series that failed next to the reports; throws only fatal errors. */
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
      const { leftOut } = series;
      const report = { dataset: name, game: slug, files: 0, open: 0, rows: 0, bytes: 0, leftOut };
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
    // An error of this series alone occurs again when it is exported, and is reported then.
    rethrowFatal(error);
  }
}

async function runSeries(
  job: ExportJob,
  series: ExportSeries,
  report: SeriesReport,
  options: RunOptions,
): Promise<void> {
  const { scope, resume } = series;
  const progress = resume === null ? null : new SeriesProgress(job, series, resume);
  if (resume !== null && resume.again.length > 0) {
    const partitions = resume.again;
    const span = { from: 0, to: job.now };
    await runParts(job, { ...series, scope: { ...scope, span, partitions } }, { report, progress }, options);
  }
  await progress?.continue();
  await runParts(job, series, { report, progress }, options);
  if (scope.span === null) return;
  const settled = Math.max(0, job.now - (series.dataset.settlingMs ?? 0));
  const complete = [settled, scope.span.to + 1].map((end) => findBucketStart(end, job.by));
  await progress?.advance(Math.min(...complete));
}

/** Exports the parts of a scope. Files of a scope without selected partitions that no longer have rows are removed. */
async function runParts(
  job: ExportJob,
  series: ExportSeries,
  { report, progress }: { readonly report: SeriesReport; readonly progress: SeriesProgress | null },
  { reader, target, onPut }: RunOptions,
): Promise<void> {
  const { dataset, scope } = series;
  const isComplete = scope.partitions === undefined;
  let before: string | null = null;
  for await (const part of dataset.parts(reader, scope)) {
    const { bucket } = part;
    const open = isOpen(series, bucket, job.now);
    if (bucket !== null && isComplete) await target.clear(series, before, bucket.label);
    const put = await target.put(series, part, open);
    before = bucket?.label ?? null;
    if (put !== null) {
      report.files += put.file === null ? 0 : 1;
      report.open += put.open ? 1 : 0;
      report.rows += put.rows;
      report.bytes += put.bytes;
      await onPut(series, put);
    }
    if (bucket === null) continue;
    progress?.record(bucket.start, put !== null);
    if (isComplete && !open) await progress?.advance(bucket.end);
  }
  if (isComplete) await target.clear(series, before, null);
}

/** Whether further rows of a part may follow. Data without time is never open. */
function isOpen({ scope, dataset }: ExportSeries, bucket: Bucket | null, now: number): boolean {
  const complete = now - (dataset.settlingMs ?? 0);
  return bucket === null ? scope.span !== null && scope.span.to >= complete : bucket.end > complete;
}
