/** One file or standard output, to which all parts are written one after the other. */
import { basename } from "node:path";
import type { AtomicFile } from "../../shared/atomic-file.ts";
import type { TimeSpan } from "../../shared/calendar.ts";
import type { Dataset, ExportPart } from "../datasets/dataset.ts";
import type { ExportSeries } from "../export-plan.ts";
import type { ByteSink, Encoder } from "../formats/encoder.ts";
import { createEncoder, type Encoding } from "../formats/index.ts";
import type { ExportTarget, PutResult } from "../run.ts";
import { commitWithSidecar, openDraft } from "./draft.ts";
import { CountingSink, toValueRows } from "./encode.ts";
import type { LeftOut } from "./manifest.ts";
import { formatManifest, MANIFEST_SUFFIX } from "./manifest.ts";
import { createParentFolder } from "./paths.ts";

interface SingleFileOptions {
  readonly dataset: Dataset<unknown>;
  readonly encoding: Encoding;
  /** The URL of the service and the slugs of the games, for the manifest. */
  readonly service: string;
  readonly games: readonly string[];
  now(): number;
}

/** Opens a file. It replaces an existing one only if the export is complete. */
export async function openFileTarget(path: string, options: SingleFileOptions): Promise<ExportTarget> {
  createParentFolder(path);
  const draft = await openDraft(path);
  return await SingleFileTarget.open(options, (bytes) => draft.write(bytes), { draft, path });
}

/** Opens standard output, which receives rows immediately. */
export async function openStreamTarget(sink: ByteSink, options: SingleFileOptions): Promise<ExportTarget> {
  return await SingleFileTarget.open(options, sink, null);
}

interface DraftFile {
  readonly draft: AtomicFile;
  readonly path: string;
}

class SingleFileTarget implements ExportTarget {
  readonly #options: SingleFileOptions;
  readonly #sink: CountingSink;
  readonly #encoder: Encoder;
  readonly #file: DraftFile | null;
  readonly #spans: TimeSpan[] = [];
  #environments: readonly string[] = [];
  #by: string | null = null;
  #time: string | null = null;
  #open = false;
  #leftOut: LeftOut | null = null;

  private constructor(
    options: SingleFileOptions,
    sink: CountingSink,
    encoder: Encoder,
    file: DraftFile | null,
  ) {
    this.#options = options;
    this.#sink = sink;
    this.#encoder = encoder;
    this.#file = file;
  }

  static async open(
    options: SingleFileOptions,
    output: ByteSink,
    file: DraftFile | null,
  ): Promise<SingleFileTarget> {
    const sink = new CountingSink(output);
    const encoder = await createEncoder(
      options.dataset.columns,
      (bytes) => sink.write(bytes),
      options.encoding,
    );
    return new SingleFileTarget(options, sink, encoder, file);
  }

  async put(
    { dataset, scope, time }: ExportSeries,
    part: ExportPart<unknown>,
    open: boolean,
  ): Promise<PutResult | null> {
    this.#time = time;
    if (scope.span !== null) this.#spans.push(scope.span);
    this.#environments = scope.environments;
    if (part.bucket !== null) this.#by = scope.by;
    this.#open ||= open;
    let rows = 0;
    for await (const values of toValueRows(dataset, part.rows)) {
      rows += values.length;
      await this.#encoder.write(values);
    }
    this.#sink.rows += rows;
    return { file: null, rows, bytes: 0, open };
  }

  /** Called once for every series, also for those without rows. */
  async check({ leftOut }: ExportSeries): Promise<void> {
    if (leftOut === null) return;
    const { before, after, future } = this.#leftOut ?? { before: 0, after: 0, future: 0 };
    this.#leftOut = {
      before: before + leftOut.before,
      after: after + leftOut.after,
      future: future + leftOut.future,
    };
  }

  async clear(): Promise<void> {}

  async finish(complete: boolean): Promise<void> {
    if (!complete && this.#file !== null) return await this.#file.draft.discard();
    await this.#encoder.finish();
    if (this.#file === null) return;
    const { draft, path } = this.#file;
    await commitWithSidecar(draft, path + MANIFEST_SUFFIX, this.#manifest(path));
  }

  async abandon(): Promise<void> {
    await this.#file?.draft.discard();
  }

  #manifest(path: string): string {
    const { dataset, encoding, service, games, now } = this.#options;
    const [first] = this.#spans;
    const span = this.#spans.reduce<TimeSpan | undefined>(
      (all, { from, to }) => all && { from: Math.min(all.from, from), to: Math.max(all.to, to) },
      first,
    );
    return formatManifest({
      ...this.#sink.stats,
      ...encoding,
      dataset,
      open: this.#open,
      leftOut: this.#leftOut,
      file: basename(path),
      writtenAt: now(),
      query: {
        service,
        games,
        environments: this.#environments,
        by: this.#by,
        time: this.#time,
        span: span ?? null,
      },
    });
  }
}
