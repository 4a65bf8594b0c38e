/** One file, or standard output, that takes all parts one after the other. */
import { basename } from "node:path";
import type { AtomicFile } from "../../shared/atomic-file.ts";
import type { Span } from "../../shared/calendar.ts";
import type { Dataset, Part } from "../datasets/dataset.ts";
import type { Encoder, Sink } from "../formats/encoder.ts";
import { type Encoding, encoderOf } from "../formats/index.ts";
import type { Series } from "../plan.ts";
import type { Put, Target } from "../run.ts";
import { commitWith, openDraft } from "./draft.ts";
import { Tally, valuesOf } from "./encode.ts";
import { MANIFEST, manifestText } from "./manifest.ts";
import { makeFolderOf } from "./paths.ts";

export interface SingleOptions {
  readonly dataset: Dataset<unknown>;
  readonly encoding: Encoding;
  /** Origin of the service and slugs of the games, for the manifest. */
  readonly service: string;
  readonly games: readonly string[];
  now(): number;
}

/** A file is put in its place once all is in it; with anything missing the one before stays. */
export async function openFile(path: string, options: SingleOptions): Promise<Target> {
  await makeFolderOf(path);
  const draft = await openDraft(path);
  return await Single.open(options, (bytes) => draft.write(bytes), { draft, path });
}

/** Standard output takes what comes as it comes. */
export async function openStream(sink: Sink, options: SingleOptions): Promise<Target> {
  return await Single.open(options, sink, null);
}

interface Place {
  readonly draft: AtomicFile;
  readonly path: string;
}

class Single implements Target {
  readonly #options: SingleOptions;
  readonly #tally: Tally;
  readonly #encoder: Encoder;
  readonly #place: Place | null;
  readonly #spans: Span[] = [];
  #environments: readonly string[] = [];
  #by: string | null = null;
  #open = false;

  private constructor(options: SingleOptions, tally: Tally, encoder: Encoder, place: Place | null) {
    this.#options = options;
    this.#tally = tally;
    this.#encoder = encoder;
    this.#place = place;
  }

  static async open(options: SingleOptions, sink: Sink, place: Place | null): Promise<Single> {
    const tally = new Tally(sink);
    const encoder = await encoderOf(options.dataset.columns, (bytes) => tally.write(bytes), options.encoding);
    return new Single(options, tally, encoder, place);
  }

  async put({ dataset, scope }: Series, part: Part<unknown>, open: boolean): Promise<Put | null> {
    if (scope.span !== null) this.#spans.push(scope.span);
    this.#environments = scope.environments;
    if (part.bucket !== null) this.#by = scope.by;
    this.#open ||= open;
    let rows = 0;
    for await (const values of valuesOf(dataset, part.rows)) {
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
    await commitWith(draft, path + MANIFEST, this.#manifest(path));
  }

  async abandon(): Promise<void> {
    await this.#place?.draft.discard();
  }

  #manifest(path: string): string {
    const { dataset, encoding, service, games, now } = this.#options;
    const [first] = this.#spans;
    const span = this.#spans.reduce<Span | undefined>(
      (all, { from, to }) => all && { from: Math.min(all.from, from), to: Math.max(all.to, to) },
      first,
    );
    return manifestText({
      ...this.#tally.written,
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
