/** Decides what a run with --since-last exports: what is not complete, and what has changed or is missing since. */
import { ClientError } from "../client/errors.ts";
import type { Game } from "../contract/games.ts";
import { bucketAt, findBucketStart } from "../shared/calendar.ts";
import type { Dataset } from "./datasets/dataset.ts";
import { ExportError } from "./errors.ts";
import type { InspectedFolder } from "./files/inspect-folder.ts";
import type { ExportJob } from "./job.ts";
import type { ExportReader } from "./reader.ts";
import type { Cursor } from "./state.ts";
import { ALL_TIME, listStarts } from "./state.ts";

/** How far to go back for a service that does not report changes, ms. Games send stored telemetry when players are online again. */
const DEFAULT_LOOKBACK_MS = 2 * 86_400_000;

/** What a run exports again, and where it continues. */
export interface ResumePlan {
  /** The cursor at the start of the run. Everything before `complete` is exported as of its `changes`. */
  readonly cursor: Cursor;
  /** The starts of complete hours, days or weeks to export again, ascending. */
  readonly again: readonly number[];
  /** Everything from this time is exported, unix ms; undefined for all of it. */
  readonly from: number | undefined;
  /** The service's cursor for the next run; null if it has none. */
  readonly changes: string | null;
}

/** One dataset of one game to plan. */
interface ResumedSeries {
  readonly dataset: Dataset<unknown>;
  readonly game: Game;
  /** Where a first run starts, unix ms; undefined for everything. */
  readonly first: number | undefined;
  /** The time that decides to which file a row belongs. */
  readonly time: string | null;
}

/** Plans a run that continues at a state. */
export async function planResume(
  reader: ExportReader,
  job: ExportJob,
  series: ResumedSeries,
): Promise<ResumePlan> {
  const { dataset, game, first } = series;
  const saved = job.state?.cursor(dataset.name, game.id) ?? null;
  // What is split by its arrival never changes later.
  const isByArrival = dataset.settlingMs !== undefined;
  const { hours, cursor: changes } = isByArrival
    ? { hours: [], cursor: null }
    : await readChanges(reader, game, saved?.changes ?? null);
  if (saved === null) {
    const cursor = { begun: first ?? 0, complete: first ?? 0, changes, files: [] };
    return { cursor, again: [], from: first, changes };
  }
  rejectFutureCursor(saved, job, `${dataset.name} of ${game.slug}`);
  rejectEarlierFrom(saved, first, `${dataset.name} of ${game.slug}`);
  const { begun } = saved;
  const folder = await inspectFolder(job, series, saved);
  // A state of an earlier version says nothing about changes, and files by another time cannot be combined with new ones.
  if (folder.hasOtherTime || (saved.changes === null && changes !== null))
    return { cursor: { ...saved, complete: begun, changes, files: [] }, again: [], from: begun, changes };
  const defaultMs = changes === null ? DEFAULT_LOOKBACK_MS : 0;
  const lookbackMs = isByArrival ? 0 : (job.lookbackMs ?? defaultMs);
  const from = Math.max(begun, findBucketStart(saved.complete - lookbackMs, job.by));
  const changed = hours.map((hour) => findBucketStart(hour, job.by));
  const again = [...new Set([...changed, ...folder.damaged])].filter(
    (start) => start >= begun && start < from,
  );
  return { cursor: saved, again: again.sort((a, b) => a - b), from, changes };
}

async function inspectFolder(
  { folder, by }: ExportJob,
  { dataset, game, time }: ResumedSeries,
  { files }: Cursor,
): Promise<InspectedFolder> {
  if (folder === null) return { damaged: [], hasOtherTime: false };
  return await folder.inspect({ dataset, slug: game.slug, by, time }, listStarts(files, by));
}

/** Reads the changed hours since a cursor, and the next cursor; no hours and null if the service does not offer it. */
async function readChanges(
  reader: ExportReader,
  game: Game,
  since: string | null,
): Promise<{ readonly hours: readonly number[]; readonly cursor: string | null }> {
  const hours = new Set<number>();
  let cursor = since;
  try {
    for (;;) {
      const query = { game: game.id, ...(cursor === null ? {} : { since: cursor }) };
      const page = await reader.send(() => reader.client.listChanges(query));
      for (const hour of page.hours) hours.add(hour);
      if (!page.hasMore) return { hours: [...hours], cursor: page.cursor };
      if (page.cursor === cursor)
        throw new ClientError("contract", "The service returns the same page of changes again");
      cursor = page.cursor;
    }
  } catch (error) {
    if (error instanceof ClientError && error.code === "unsupported") return { hours: [], cursor: null };
    throw error;
  }
}

function rejectEarlierFrom({ begun }: Cursor, first: number | undefined, seriesName: string): void {
  if (first === undefined || first >= begun) return;
  throw new ExportError(
    "conflict",
    `--from ${new Date(first).toISOString()} is before the time from which --since-last exports ${seriesName} (${new Date(begun).toISOString()})`,
    "Remove --from, or export the earlier time without --since-last.",
  );
}

/** Throws `conflict` for a state from the future. It was written with a wrong clock, and no data would be exported until then. */
function rejectFutureCursor({ begun, complete }: Cursor, { now, by }: ExportJob, seriesName: string): void {
  const latest = Math.max(begun, complete);
  if (latest <= bucketAt(now, by, ALL_TIME).end) return;
  throw new ExportError(
    "conflict",
    `The saved state of ${seriesName} is from the future: it is complete up to ${formatTimestamp(latest)}, but the current time is ${formatTimestamp(now)}`,
    "Check the system clock. If it is right, the clock was wrong during an earlier run: delete the state file to export everything again.",
  );
}

const formatTimestamp = (ms: number): string =>
  Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms`;
