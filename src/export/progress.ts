/** Saves the progress of a series in the state, so that a stopped run continues where it ended. */
import type { ExportJob } from "./job.ts";
import type { ExportSeries } from "./plan.ts";
import type { ResumePlan } from "./resume.ts";
import type { Cursor } from "./state.ts";
import { joinStarts, listStarts } from "./time-ranges.ts";

export class SeriesProgress {
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
