/** A folder of partitions: a file a game and bucket, each with its manifest, such as `events/game=ember/day=2026-11-19.parquet`. */
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { bucketAt } from "../../shared/calendar.ts";
import type { Part } from "../datasets/dataset.ts";
import { type Encoding, extensionOf } from "../formats/index.ts";
import type { Series } from "../plan.ts";
import type { Put, Target } from "../run.ts";
import { commitWith, DRAFT, openDraft } from "./draft.ts";
import { encodeInto, Tally } from "./encode.ts";
import { refuseOtherQuery } from "./kept-query.ts";
import { MANIFEST, manifestText, type Written } from "./manifest.ts";
import { folderWithin, namesIn, pathWithin, segmentOf } from "./paths.ts";

/** The endings of a file, its manifest and the drafts of both. */
const LEFT = /(\.manifest\.json)?(\.draft)?$/;

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

  async check({ dataset, scope }: Series): Promise<void> {
    const { service, encoding, root } = this.#options;
    const { format, gzip } = encoding;
    const { environments } = scope;
    const folder = await folderWithin(root, this.#foldersOf(dataset.name, scope.game.slug));
    const by = dataset.extent === null ? null : scope.by;
    if (folder !== null) await refuseOtherQuery(folder, { service, by, environments, format, gzip });
  }

  async put(series: Series, part: Part<unknown>, open: boolean): Promise<Put | null> {
    const { root, encoding } = this.#options;
    const segments = this.#segmentsOf(series, part.bucket?.label ?? null);
    const path = await pathWithin(root, segments);
    const beside = await pathWithin(root, withEnding(segments, MANIFEST));
    const draft = await openDraft(path);
    try {
      const tally = new Tally((bytes) => draft.write(bytes));
      await encodeInto(series.dataset, part.rows, encoding, tally);
      // A time without anything has no file; what has no time has one that says so.
      if (tally.written.rows === 0 && part.bucket !== null) {
        await draft.discard();
        await removeAll(path);
        return null;
      }
      const about = { ...tally.written, file: basename(path), open };
      await commitWith(draft, beside, this.#manifest(series, part, about));
      const { rows, bytes } = tally.written;
      return { file: segments.join("/"), rows, bytes, open };
    } catch (error) {
      await draft.discard();
      throw error;
    }
  }

  async clear(series: Series, before: string | null, label: string | null): Promise<void> {
    const { scope, dataset, asked } = series;
    const { root, encoding } = this.#options;
    const { by, game } = scope;
    if (asked === null) return;
    const folders = this.#foldersOf(dataset.name, game.slug);
    const extension = extensionOf(encoding);
    const folder = await folderWithin(root, folders);
    if (folder === null) return;
    const first = labelIn(series, asked.from);
    const last = labelIn(series, asked.to);
    // What a killed run left of a file counts as the file.
    const names = (await namesIn(folder)).map((name) => name.replace(LEFT, ""));
    for (const name of new Set(names)) {
      if (!name.startsWith(`${by}=`) || !name.endsWith(extension)) continue;
      const own = name.slice(by.length + 1, -extension.length);
      const isEmpty = before === null ? own >= first : own > before;
      if (isEmpty && (label === null ? own <= last : own < label))
        await removeAll(await pathWithin(root, [...folders, name]));
    }
  }

  async finish(): Promise<void> {}
  async abandon(): Promise<void> {}

  #segmentsOf({ dataset, scope }: Series, label: string | null): string[] {
    const name = label === null ? "all" : `${scope.by}=${label}`;
    return [...this.#foldersOf(dataset.name, scope.game.slug), name + extensionOf(this.#options.encoding)];
  }

  #foldersOf(dataset: string, slug: string): string[] {
    return [dataset, `game=${segmentOf(slug)}`];
  }

  #manifest(
    { dataset, scope }: Series,
    { bucket }: Part<unknown>,
    written: Written & { readonly file: string; readonly open: boolean },
  ): string {
    const { encoding, service, now } = this.#options;
    return manifestText({
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
  }
}

function labelIn({ scope: { by } }: Series, ms: number): string {
  return bucketAt(ms, by, { from: ms, to: ms }).label;
}

function withEnding(segments: readonly string[], ending: string): string[] {
  return segments.map((segment, at) => (at === segments.length - 1 ? segment + ending : segment));
}

/** Removes a file, its manifest, and drafts of both. */
async function removeAll(path: string): Promise<void> {
  for (const ending of [DRAFT, "", `${MANIFEST}${DRAFT}`, MANIFEST]) await rm(path + ending, { force: true });
}
