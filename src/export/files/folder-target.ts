/** A folder of partitions, one file with a manifest per game and bucket, such as `events/game=ember/day=2026-11-19.parquet`. */
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { bucketAt } from "../../shared/calendar.ts";
import type { ExportPart } from "../datasets/dataset.ts";
import type { ExportSeries } from "../export-plan.ts";
import { type Encoding, formatExtension } from "../formats/index.ts";
import type { ExportTarget, PutResult } from "../run.ts";
import { commitWithSidecar, DRAFT_SUFFIX, openDraft } from "./draft.ts";
import { CountingSink, encodeRows } from "./encode.ts";
import { getFormerTime } from "./inspect-folder.ts";
import { type FileStats, formatManifest, MANIFEST_SUFFIX } from "./manifest.ts";
import { findFolder, listFolder, preparePath, toPathSegment } from "./paths.ts";
import { assertSameQuery, assertSameTime } from "./query-conflict.ts";

/** The suffixes of manifests and drafts. */
const ARTIFACT_SUFFIX = /(\.manifest\.json)?(\.draft)?$/;

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

  async check({ dataset, scope, requested, time }: ExportSeries): Promise<void> {
    const { service, encoding, root } = this.#options;
    const { format, gzip } = encoding;
    const { environments } = scope;
    const folder = await findFolder(root, this.#folderSegments(dataset.name, scope.game.slug));
    const by = dataset.extent === null ? null : scope.by;
    if (folder === null) return;
    await assertSameQuery(folder, { service, by, environments, format, gzip });
    if (time === null || requested === null) return;
    await assertSameTime(folder, time, { former: getFormerTime(dataset.name), replaced: requested });
  }

  async put(series: ExportSeries, part: ExportPart<unknown>, open: boolean): Promise<PutResult | null> {
    const { root, encoding } = this.#options;
    const segments = this.#fileSegments(series, part.bucket?.label ?? null);
    const path = await preparePath(root, segments);
    const manifestPath = await preparePath(root, withSuffix(segments, MANIFEST_SUFFIX));
    const draft = await openDraft(path);
    try {
      const sink = new CountingSink((bytes) => draft.write(bytes));
      await encodeRows(series.dataset, part.rows, encoding, sink);
      // An empty bucket has no file. A dataset without time has a file even if it is empty.
      if (sink.stats.rows === 0 && part.bucket !== null) {
        await draft.discard();
        await removeArtifacts(path);
        return null;
      }
      const stats = { ...sink.stats, file: basename(path), open };
      await commitWithSidecar(draft, manifestPath, this.#manifest(series, part, stats));
      const { rows, bytes } = stats;
      return { file: segments.join("/"), rows, bytes, open };
    } catch (error) {
      await draft.discard();
      throw error;
    }
  }

  async clear(series: ExportSeries, before: string | null, label: string | null): Promise<void> {
    const { scope, dataset, requested } = series;
    const { root, encoding } = this.#options;
    const { by, game } = scope;
    if (requested === null) return;
    const folders = this.#folderSegments(dataset.name, game.slug);
    const extension = formatExtension(encoding);
    const folder = await findFolder(root, folders);
    if (folder === null) return;
    const first = formatBucketLabel(series, requested.from);
    const last = formatBucketLabel(series, requested.to);
    // Drafts and manifests that a killed run left behind belong to the file.
    const names = (await listFolder(folder)).map((name) => name.replace(ARTIFACT_SUFFIX, ""));
    for (const name of new Set(names)) {
      if (!name.startsWith(`${by}=`) || !name.endsWith(extension)) continue;
      const fileLabel = name.slice(by.length + 1, -extension.length);
      const isEmpty = before === null ? fileLabel >= first : fileLabel > before;
      if (isEmpty && (label === null ? fileLabel <= last : fileLabel < label))
        await removeArtifacts(await preparePath(root, [...folders, name]));
    }
  }

  async finish(): Promise<void> {}
  async abandon(): Promise<void> {}

  #fileSegments({ dataset, scope }: ExportSeries, label: string | null): string[] {
    const name = label === null ? "all" : `${scope.by}=${label}`;
    return [
      ...this.#folderSegments(dataset.name, scope.game.slug),
      name + formatExtension(this.#options.encoding),
    ];
  }

  #folderSegments(dataset: string, slug: string): string[] {
    return [dataset, `game=${toPathSegment(slug)}`];
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

function withSuffix(segments: readonly string[], suffix: string): string[] {
  return segments.map((segment, index) => (index === segments.length - 1 ? segment + suffix : segment));
}

/** Removes a file, its manifest, and the drafts of both. */
async function removeArtifacts(path: string): Promise<void> {
  for (const suffix of [DRAFT_SUFFIX, "", `${MANIFEST_SUFFIX}${DRAFT_SUFFIX}`, MANIFEST_SUFFIX])
    await rm(path + suffix, { force: true });
}
