/** One file, or standard output, that takes all parts one after the other. */
import { basename } from "node:path";
import type { AtomicFile } from "../../shared/atomic-file.ts";
import type { TimeSpan } from "../../shared/calendar.ts";
import type { Dataset, ExportPart } from "../datasets/dataset.ts";
import type { ByteSink, Encoder } from "../formats/encoder.ts";
import { createEncoder, type Encoding } from "../formats/index.ts";
import type { ExportSeries } from "../plan.ts";
import type { ExportTarget, PutResult } from "../run.ts";
import { commitWithSidecar, openDraft } from "./draft.ts";
import { CountingSink, toValueRows } from "./encode.ts";
import { formatManifest, MANIFEST_SUFFIX } from "./manifest.ts";
import { createParentFolder } from "./paths.ts";

export interface SingleFileOptions {
  readonly dataset: Dataset<unknown>;
  readonly encoding: Encoding;
  /** Origin of the service and slugs of the games, for the manifest. */
  readonly service: string;
  readonly games: readonly string[];
  now(): number;
}

/** A file is put in its place once all is in it; with anything missing the one before stays. */
export async function openFileTarget(path: string, options: SingleFileOptions): Promise<ExportTarget> {
  await createParentFolder(path);
  const draft = await openDraft(path);
  return await SingleFileTarget.open(options, (bytes) => draft.write(bytes), { draft, path });
}

/** Standard output takes what comes as it comes. */
export async function openStreamTarget(sink: ByteSink, options: SingleFileOptions): Promise<ExportTarget> {
  return await SingleFileTarget.open(options, sink, null);
}

interface DraftFile {
  readonly draft: AtomicFile;
  readonly path: string;
}

class SingleFileTarget implements ExportTarget {
  readonly #options: SingleFileOptions;
  readonly #tally: CountingSink;
  readonly #encoder: Encoder;
  readonly #place: DraftFile | null;
  readonly #spans: TimeSpan[] = [];
  #environments: readonly string[] = [];
  #by: string | null = null;
  #open = false;

  private constructor(
    options: SingleFileOptions,
    tally: CountingSink,
    encoder: Encoder,
    place: DraftFile | null,
  ) {
    this.#options = options;
    this.#tally = tally;
    this.#encoder = encoder;
    this.#place = place;
  }

  static async open(
    options: SingleFileOptions,
    sink: ByteSink,
    place: DraftFile | null,
  ): Promise<SingleFileTarget> {
    const tally = new CountingSink(sink);
    const encoder = await createEncoder(
      options.dataset.columns,
      (bytes) => tally.write(bytes),
      options.encoding,
    );
    return new SingleFileTarget(options, tally, encoder, place);
  }

  async put(
    { dataset, scope }: ExportSeries,
    part: ExportPart<unknown>,
    open: boolean,
  ): Promise<PutResult | null> {
    if (scope.span !== null) this.#spans.push(scope.span);
    this.#environments = scope.environments;
    if (part.bucket !== null) this.#by = scope.by;
    this.#open ||= open;
    let rows = 0;
    for await (const values of toValueRows(dataset, part.rows)) {
      rows += values.length;
      await this.#encoder.write(values);
    }
    this.#tally.rows += rows;
    return { file: null, rows, bytes: 0, open };
  }

  async check(): Promise<void> {}
  async clear(): Promise<void> {}

  async finish(whole: boolean): Promise<void> {
    if (!whole && this.#place !== null) return await this.#place.draft.discard();
    await this.#encoder.finish();
    if (this.#place === null) return;
    const { draft, path } = this.#place;
    await commitWithSidecar(draft, path + MANIFEST_SUFFIX, this.#manifest(path));
  }

  async abandon(): Promise<void> {
    await this.#place?.draft.discard();
  }

  #manifest(path: string): string {
    const { dataset, encoding, service, games, now } = this.#options;
    const [first] = this.#spans;
    const span = this.#spans.reduce<TimeSpan | undefined>(
      (all, { from, to }) => all && { from: Math.min(all.from, from), to: Math.max(all.to, to) },
      first,
    );
    return formatManifest({
      ...this.#tally.stats,
      ...encoding,
      dataset,
      open: this.#open,
      file: basename(path),
      writtenAt: now(),
      query: {
        service,
        games,
        environments: this.#environments,
        by: this.#by,
        span: span ?? null,
      },
    });
  }
}
