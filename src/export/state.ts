/** What an export remembers between runs: of each dataset and game, up to where it is complete. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { ExportError } from "./errors.ts";
import { openDraft } from "./files/draft.ts";
import { createParentFolder } from "./files/paths.ts";
import { describeDifferences, type ExportQuery } from "./query.ts";

/** What must stay the same from run to run, or the files would not fit each other. */
export interface ExportStateQuery extends ExportQuery {
  /** The mark of the folder that a state elsewhere is of; absent where it lies in the folder itself. */
  readonly folder?: string;
}

const cursor = z.object({
  /** What the first run was bounded by, unix ms: nothing before it is read; 0 where it had no bound. */
  begun: z.int(),
  /** Where the first hour, day or week begins that is not complete, unix ms. */
  complete: z.int(),
});
export type Cursor = z.output<typeof cursor>;

const stateSchema = z.object({
  version: z.literal(1),
  fingerprint: z.string(),
  query: z.looseObject({}),
  cursors: z.record(z.string(), cursor),
});

/** The state of one file; every change is on the disk, whole, before `advance` resolves. */
export class ExportState {
  readonly #path: string;
  readonly #query: ExportStateQuery;
  readonly #cursors: Map<string, Cursor>;

  private constructor(path: string, query: ExportStateQuery, cursors: Map<string, Cursor>) {
    this.#path = path;
    this.#query = query;
    this.#cursors = cursors;
  }

  /** Reads a file; one that is not there is empty. Throws `conflict` for one that is broken, or of another query. */
  static async open(path: string, query: ExportStateQuery): Promise<ExportState> {
    const text = await readText(path);
    if (text === null) return new ExportState(path, query, new Map());
    const found = parseState(text);
    if (found === null) {
      throw new ExportError(
        "conflict",
        `The state file ${path} is broken: nothing is exported on it`,
        "Restore it from a backup, or remove it and export everything anew.",
      );
    }
    if (found.fingerprint !== computeFingerprint(query)) {
      throw new ExportError(
        "conflict",
        `The state file ${path} is of another export: ${describeMismatch(found.query, query)}`,
        "Export as before, name another file with --state and another folder with --out, or remove it to begin anew.",
      );
    }
    return new ExportState(path, query, new Map(Object.entries(found.cursors)));
  }

  /** Null where nothing was exported yet. */
  cursor(dataset: string, gameId: string): Cursor | null {
    return this.#cursors.get(`${dataset}/${gameId}`) ?? null;
  }

  /** Notes that all before `complete` is exported. */
  async advance(dataset: string, gameId: string, begun: number, complete: number): Promise<void> {
    const before = this.cursor(dataset, gameId);
    if (before !== null && before.complete >= complete) return;
    this.#cursors.set(`${dataset}/${gameId}`, { begun: before?.begun ?? begun, complete });
    const cursors = Object.fromEntries([...this.#cursors].sort(([a], [b]) => (a < b ? -1 : 1)));
    const content = { version: 1, fingerprint: computeFingerprint(this.#query), query: this.#query, cursors };
    await createParentFolder(this.#path);
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

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function parseState(text: string): z.output<typeof stateSchema> | null {
  try {
    return stateSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function describeMismatch(before: Readonly<Record<string, unknown>>, now: ExportStateQuery): string {
  if (before.folder !== now.folder) return "its files are in another folder, or were removed";
  return describeDifferences<ExportStateQuery>(before, now) || "its fingerprint differs";
}

function computeFingerprint({ service, by, environments, format, gzip, folder }: ExportStateQuery): string {
  const text = JSON.stringify([service, by, environments, format, gzip, ...(folder ? [folder] : [])]);
  return createHash("sha256").update(text).digest("hex");
}
