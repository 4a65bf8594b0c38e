/** A folder of partitions, one file with a manifest per game and bucket, such as `events/game=ember/day=2026-11-19/data.parquet`. */
import { bucketAt } from "../../shared/calendar.ts";
import type { ExportPart } from "../datasets/dataset.ts";
import type { ExportSeries } from "../export-plan.ts";
import { type Encoding, formatExtension } from "../formats/index.ts";
import type { ExportTarget, PutResult } from "../run.ts";
import { commitWithSidecar, openDraft } from "./draft.ts";
import { CountingSink, encodeRows } from "./encode.ts";
import { type FileStats, formatManifest } from "./manifest.ts";
import {
  assertCurrentLayout,
  assertNoData,
  dataFolder,
  listFiles,
  listLabels,
  listManifests,
  removeFiles,
  removeManifests,
  type SeriesFiles,
  withoutPathColumns,
} from "./partition.ts";
import { findFolder, preparePath } from "./paths.ts";
import { assertSameQuery, assertSameTime } from "./query-conflict.ts";

interface FolderTargetOptions {
  readonly root: string;
  readonly encoding: Encoding;
  /** The URL of the service, for manifests. */
  readonly service: string;
  now(): number;
}

export class FolderTarget implements ExportTarget {
  readonly #options: FolderTargetOptions;

  constructor(options: FolderTargetOptions) {
    this.#options = options;
  }

  async check(series: ExportSeries): Promise<void> {
    const { dataset, scope, requested, time } = series;
    const { service, encoding, root } = this.#options;
    const { format, gzip } = encoding;
    const files = this.#files(series);
    const folder = await findFolder(root, dataFolder(files));
    // Manifests of data that somebody deleted.
    if (folder === null) return await removeManifests(root, files);
    await assertCurrentLayout(folder);
    const manifests = await listManifests(root, files);
    if (manifests.length === 0) await assertNoData(folder);
    const by = dataset.extent === null ? null : scope.by;
    const { environments } = scope;
    await assertSameQuery(folder, manifests, { service, by, environments, format, gzip });
    if (time !== null && requested !== null)
      await assertSameTime(folder, manifests, { time, replaced: requested });
  }

  async put(series: ExportSeries, part: ExportPart<unknown>, open: boolean): Promise<PutResult | null> {
    const { root } = this.#options;
    const files = listFiles(this.#files(series), part.bucket?.label ?? null);
    const manifestPath = await preparePath(root, files.manifest);
    const path = await preparePath(root, files.data);
    const draft = await openDraft(path, await preparePath(root, files.draft));
    const dataset = withoutPathColumns(series.dataset);
    try {
      const sink = new CountingSink((bytes) => draft.write(bytes));
      await encodeRows(dataset, part.rows, this.#options.encoding, sink);
      // An empty bucket has no file. A dataset without time has a file even if it is empty.
      if (sink.stats.rows === 0 && part.bucket !== null) {
        await draft.discard();
        await removeFiles(root, files);
        return null;
      }
      const stats = { ...sink.stats, file: files.data.join("/"), open };
      await commitWithSidecar(draft, manifestPath, this.#manifest({ ...series, dataset }, part, stats));
      const { file, rows, bytes } = stats;
      return { file, rows, bytes, open };
    } catch (error) {
      await draft.discard();
      throw error;
    }
  }

  async clear(series: ExportSeries, before: string | null, label: string | null): Promise<void> {
    const { requested } = series;
    const { root } = this.#options;
    if (requested === null) return;
    const files = this.#files(series);
    const first = formatBucketLabel(series, requested.from);
    const last = formatBucketLabel(series, requested.to);
    for (const fileLabel of await listLabels(root, files)) {
      const isEmpty = before === null ? fileLabel >= first : fileLabel > before;
      if (!isEmpty || (label === null ? fileLabel > last : fileLabel >= label)) continue;
      const removed = listFiles(files, fileLabel);
      await findFolder(root, removed.data.slice(0, -1));
      await removeFiles(root, removed);
    }
  }

  async finish(): Promise<void> {}
  async abandon(): Promise<void> {}

  #files({ dataset, scope }: ExportSeries): SeriesFiles {
    const extension = formatExtension(this.#options.encoding);
    return { dataset: dataset.name, slug: scope.game.slug, by: scope.by, extension };
  }

  #manifest(
    { dataset, scope, time }: ExportSeries,
    { bucket }: ExportPart<unknown>,
    written: FileStats & { readonly file: string; readonly open: boolean },
  ): string {
    const { encoding, service, now } = this.#options;
    return formatManifest({
      ...written,
      ...encoding,
      dataset,
      writtenAt: now(),
      query: {
        service,
        games: [scope.game.slug],
        environments: scope.environments,
        by: bucket === null ? null : scope.by,
        time,
        span: bucket === null ? null : { from: bucket.from, to: bucket.to },
      },
    });
  }
}

function formatBucketLabel({ scope: { by } }: ExportSeries, ms: number): string {
  return bucketAt(ms, by, { from: ms, to: ms }).label;
}
