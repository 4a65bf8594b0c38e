/** A folder of partitions: a file a game and bucket, each with its manifest, such as `events/game=ember/day=2026-11-19.parquet`. */
import { readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { bucketAt } from "../buckets.ts";
import type { Part } from "../datasets/dataset.ts";
import { type Encoding, extensionOf } from "../formats/index.ts";
import type { Series } from "../plan.ts";
import type { Put, Target } from "../run.ts";
import { encodeInto, Tally } from "./encode.ts";
import { MANIFEST, manifestText, type Written } from "./manifest.ts";
import { pathWithin, segmentOf } from "./paths.ts";
import { openDraft } from "./whole-file.ts";

/** Drafts have one name a file: only one run at a time writes to a folder, and the next one writes over them. */
const DRAFT = ".draft";

export interface FolderOptions {
  readonly root: string;
  readonly encoding: Encoding;
  /** Origin of the service, for manifests. */
  readonly service: string;
  now(): number;
}

export class Folder implements Target {
  readonly #options: FolderOptions;

  constructor(options: FolderOptions) {
    this.#options = options;
  }

  async put(series: Series, part: Part<never>, open: boolean): Promise<Put | null> {
    const { root, encoding } = this.#options;
    const segments = this.#segmentsOf(series, part.bucket?.label ?? null);
    const path = await pathWithin(root, segments);
    const beside = await pathWithin(root, withEnding(segments, MANIFEST));
    const draft = await openDraft(path, `${path}${DRAFT}`);
    try {
      const tally = new Tally((bytes) => draft.write(bytes));
      await encodeInto(series.dataset, part.rows, encoding, tally);
      // A time without anything has no file; what has no time has one that says so.
      if (tally.written.rows === 0 && part.bucket !== null) {
        await draft.discard();
        await removeBoth(path);
        return null;
      }
      await draft.commit();
      await this.#writeManifest(series, part, { ...tally.written, file: basename(path), open }, beside);
      const { rows, bytes } = tally.written;
      return { file: segments.join("/"), rows, bytes, open };
    } catch (error) {
      await draft.discard();
      throw error;
    }
  }

  async clear(series: Series, before: string | null, label: string | null): Promise<void> {
    const { by, span } = series.scope;
    if (span === null) return;
    const [dataset = "", game = ""] = this.#segmentsOf(series, "");
    const extension = extensionOf(this.#options.encoding);
    const folder = join(this.#options.root, dataset, game);
    const first = labelIn(series, span.from);
    const last = labelIn(series, span.to);
    for (const name of await namesIn(folder)) {
      if (!name.startsWith(`${by}=`) || !name.endsWith(extension)) continue;
      const own = name.slice(by.length + 1, -extension.length);
      const isEmpty = before === null ? own >= first : own > before;
      if (isEmpty && (label === null ? own <= last : own < label))
        await removeBoth(await pathWithin(this.#options.root, [dataset, game, name]));
    }
  }

  async finish(): Promise<void> {}
  async abandon(): Promise<void> {}

  #segmentsOf({ dataset, scope }: Series, label: string | null): string[] {
    const name = label === null ? "all" : `${scope.by}=${label}`;
    return [dataset.name, `game=${segmentOf(scope.game.slug)}`, name + extensionOf(this.#options.encoding)];
  }

  async #writeManifest(
    { dataset, scope }: Series,
    { bucket }: Part<never>,
    written: Written & { readonly file: string; readonly open: boolean },
    path: string,
  ): Promise<void> {
    const { encoding, service, now } = this.#options;
    const text = manifestText({
      ...written,
      ...encoding,
      dataset,
      writtenAt: now(),
      query: {
        service,
        games: [scope.game.slug],
        environments: scope.environments,
        by: bucket === null ? null : scope.by,
        span: bucket === null ? null : { from: bucket.from, to: bucket.to },
      },
    });
    const draft = await openDraft(path, `${path}${DRAFT}`);
    await draft.write(Buffer.from(text));
    await draft.commit();
  }
}

function labelIn({ scope: { by } }: Series, ms: number): string {
  return bucketAt(ms, by, { from: ms, to: ms }).label;
}

function withEnding(segments: readonly string[], ending: string): string[] {
  return segments.map((segment, at) => (at === segments.length - 1 ? segment + ending : segment));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Removes a file and its manifest. */
async function removeBoth(path: string): Promise<void> {
  await rm(path, { force: true });
  await rm(`${path}${MANIFEST}`, { force: true });
}
