/** The state of an export between runs: the time up to which each dataset and game is complete, and which files it has. */
import { createHash } from "node:crypto";
import * as z from "zod";
import { type BucketWidth, bucketAt, type TimeSpan } from "../shared/calendar.ts";
import { tryParseJson } from "../shared/parse-json.ts";
import { ExportError } from "./errors.ts";
import { openDraft } from "./files/draft.ts";
import { createParentFolder, readTextOrNull } from "./files/paths.ts";
import { describeDifferences, type ExportQuery } from "./query.ts";

/** The query that all runs with the same state must share. */
interface ExportStateQuery extends ExportQuery {
  /** The id of the folder, if the state file is outside of it. */
  readonly folder?: string;
}

/** Unix ms; the end is exclusive. */
const range = z.tuple([z.int(), z.int()]);
type TimeRange = z.output<typeof range>;

const cursor = z.object({
  /** The `from` of the first run, unix ms; 0 if it had none. Earlier data is never read. */
  begun: z.int(),
  /** The start of the first hour, day or week that is not complete, unix ms. */
  complete: z.int(),
  /** The service's cursor after which complete data may have changed; null if the service has none. */
  changes: z.string().nullable(),
  /** The hours, days or weeks that have files. Adjacent ones are joined. */
  files: z.array(range),
});
export type Cursor = z.output<typeof cursor>;

const VERSION = 3;

const stateSchema = z.object({
  version: z.literal(VERSION),
  fingerprint: z.string(),
  query: z.looseObject({}),
  cursors: z.record(z.string(), cursor),
});

/** The state in one file. Every change is written to disk before `save` resolves. */
export class ExportState {
  readonly #path: string;
  readonly #query: ExportStateQuery;
  readonly #cursors: Map<string, Cursor>;

  private constructor(path: string, query: ExportStateQuery, cursors: Map<string, Cursor>) {
    this.#path = path;
    this.#query = query;
    this.#cursors = cursors;
  }

  /** Reads a state file; a missing file is an empty state. Throws `conflict` for an invalid file or a different query. */
  static async open(path: string, query: ExportStateQuery): Promise<ExportState> {
    const text = await readTextOrNull(path);
    if (text === null) return new ExportState(path, query, new Map());
    const saved = stateSchema.safeParse(tryParseJson(text)).data;
    if (saved === undefined) {
      throw new ExportError(
        "conflict",
        `The state file ${path} is not valid. Nothing was exported`,
        "Restore it from a backup, or delete it to export everything again.",
      );
    }
    if (saved.fingerprint !== computeFingerprint(query)) {
      throw new ExportError(
        "conflict",
        `The state file ${path} belongs to a different export: ${describeMismatch(saved.query, query)}`,
        "Use the same options as before, set --state to another file and --out to another folder, or delete the state file to start again.",
      );
    }
    return new ExportState(path, query, new Map(Object.entries(saved.cursors)));
  }

  /** The cursor of a series; null if nothing was exported yet. */
  cursor(dataset: string, gameId: string): Cursor | null {
    return this.#cursors.get(`${dataset}/${gameId}`) ?? null;
  }

  async save(dataset: string, gameId: string, cursor: Cursor): Promise<void> {
    this.#cursors.set(`${dataset}/${gameId}`, cursor);
    const cursors = Object.fromEntries([...this.#cursors].sort(([a], [b]) => (a < b ? -1 : 1)));
    const fingerprint = computeFingerprint(this.#query);
    const content = { version: VERSION, fingerprint, query: this.#query, cursors };
    createParentFolder(this.#path);
    const draft = await openDraft(this.#path);
    try {
      await draft.write(Buffer.from(`${JSON.stringify(content, null, 2)}\n`));
      await draft.commit();
    } catch (error) {
      await draft.discard();
      throw error;
    }
  }
}

function describeMismatch(before: Readonly<Record<string, unknown>>, now: ExportStateQuery): string {
  if (before.folder !== now.folder) return "its files are in another folder, or were deleted";
  return describeDifferences<ExportStateQuery>(before, now) || "its fingerprint differs";
}

function computeFingerprint({ service, by, environments, format, gzip, folder }: ExportStateQuery): string {
  const text = JSON.stringify([service, by, environments, format, gzip, ...(folder ? [folder] : [])]);
  return createHash("sha256").update(text).digest("hex");
}

export const ALL_TIME: TimeSpan = { from: 0, to: Number.POSITIVE_INFINITY };

/** The starts of all hours, days or weeks in the ranges. */
export function listStarts(ranges: readonly TimeRange[], by: BucketWidth): number[] {
  const starts: number[] = [];
  for (const [from, end] of ranges)
    for (let start = from; start < end; start = bucketAt(start, by, ALL_TIME).end) starts.push(start);
  return starts;
}

/** Joins adjacent hours, days or weeks. */
export function joinStarts(starts: Iterable<number>, by: BucketWidth): TimeRange[] {
  const ranges: TimeRange[] = [];
  for (const start of [...starts].sort((a, b) => a - b)) {
    const { end } = bucketAt(start, by, ALL_TIME);
    const last = ranges.at(-1);
    if (last?.[1] === start) last[1] = end;
    else ranges.push([start, end]);
  }
  return ranges;
}
