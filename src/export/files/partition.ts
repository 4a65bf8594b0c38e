/**
 * The layout of a folder of partitions, as Hive and Spark have it: `events/game=ember/day=2026-11-19/data.parquet`. A folder of
 * data contains nothing but data, because some readers open every file in it. Manifests, drafts, the state and the lock are in
 * one folder whose name begins with `_`, which readers skip.
 */
import { rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BucketWidth } from "../../shared/calendar.ts";
import type { Dataset } from "../datasets/dataset.ts";
import { ExportError } from "../errors.ts";
import { DRAFT_SUFFIX } from "./draft.ts";
import { findFolder, listFolder, toPathSegment } from "./paths.ts";

/** The folder of everything that is not data. */
export const SIDE_FOLDER = "_playtest";

/** The column that the path of a file has instead of its rows, so that readers find it once and with one type. */
const PATH_COLUMN = "game";

/** The files of one dataset and game. */
export interface SeriesFiles {
  readonly dataset: string;
  /** The slug of the game. */
  readonly slug: string;
  readonly by: BucketWidth;
  /** Of the data, such as `.csv.gz`. */
  readonly extension: string;
}

/** The files of an hour, day or week, or of a dataset without time: the segments of their paths. */
export interface PartitionFiles {
  readonly data: readonly string[];
  readonly manifest: readonly string[];
  /** The draft of the data. */
  readonly draft: readonly string[];
}

export const dataFolder = ({ dataset, slug }: Pick<SeriesFiles, "dataset" | "slug">): string[] => [
  dataset,
  `game=${toPathSegment(slug)}`,
];

export const manifestFolder = (series: Pick<SeriesFiles, "dataset" | "slug">): string[] => [
  SIDE_FOLDER,
  ...dataFolder(series),
];

const MANIFEST_EXTENSION = ".json";

/** `label` is that of the hour, day or week; null for a dataset without time. */
export function listFiles(series: SeriesFiles, label: string | null): PartitionFiles {
  const name = label === null ? "all" : `${series.by}=${label}`;
  const { extension } = series;
  return {
    data: [...dataFolder(series), ...(label === null ? [] : [name]), `data${extension}`],
    manifest: [...manifestFolder(series), name + MANIFEST_EXTENSION],
    draft: [...manifestFolder(series), name + extension + DRAFT_SUFFIX],
  };
}

/** The labels of the hours, days or weeks that have a file, a manifest, or a draft that a killed run left behind. */
export async function listLabels(root: string, series: SeriesFiles): Promise<string[]> {
  const { by, extension } = series;
  const names: string[] = [];
  for (const folder of [dataFolder(series), manifestFolder(series)]) {
    const path = await findFolder(root, folder);
    if (path !== null) names.push(...(await listFolder(path)));
  }
  const labels = names.flatMap((name) => {
    const whole = withoutEnd(withoutEnd(withoutEnd(name, DRAFT_SUFFIX), MANIFEST_EXTENSION), extension);
    return whole.startsWith(`${by}=`) ? [whole.slice(by.length + 1)] : [];
  });
  return [...new Set(labels)];
}

const withoutEnd = (name: string, end: string) => (name.endsWith(end) ? name.slice(0, -end.length) : name);

/** The manifests of a dataset and game, by the names of their files. */
export async function listManifests(
  root: string,
  series: Pick<SeriesFiles, "dataset" | "slug">,
): Promise<string[]> {
  const folder = await findFolder(root, manifestFolder(series));
  if (folder === null) return [];
  const names = (await listFolder(folder)).filter((name) => name.endsWith(MANIFEST_EXTENSION));
  return names.sort().map((name) => join(folder, name));
}

/** Removes all manifests and drafts of a dataset and game. */
export async function removeManifests(
  root: string,
  series: Pick<SeriesFiles, "dataset" | "slug">,
): Promise<void> {
  const folder = await findFolder(root, manifestFolder(series));
  if (folder !== null) await rm(folder, { recursive: true });
}

/** Removes the file of a partition, its manifest, the drafts of both, and its folder. */
export async function removeFiles(root: string, { data, manifest, draft }: PartitionFiles): Promise<void> {
  const manifestPath = join(root, ...manifest);
  const paths = [join(root, ...draft), join(root, ...data), manifestPath + DRAFT_SUFFIX, manifestPath];
  for (const path of paths) await rm(path, { force: true });
  // Fails if somebody else's files are in the folder.
  await rmdir(dirname(join(root, ...data))).catch(() => {});
}

/** A dataset as files of partitions have it. */
export const withoutPathColumns = <T>(dataset: Dataset<T>): Dataset<T> => ({
  ...dataset,
  columns: dataset.columns.filter(({ name }) => name !== PATH_COLUMN),
});

/**
 * Throws `conflict` if a game's folder of a dataset has data without a single manifest, such as a copy without the side folder.
 * Nobody knows which query it is the result of.
 */
export async function assertNoData(folder: string): Promise<void> {
  const found = (await listFolder(folder)).find((name) => /^(hour|day|week)=|^data\./.test(name));
  if (found === undefined) return;
  throw new ExportError(
    "conflict",
    `${folder} has data, such as ${found}, but ${SIDE_FOLDER} has no manifests of it, so it cannot be continued`,
    `Restore ${SIDE_FOLDER}, set --out to another folder, or delete this one to export everything again. Nothing was changed.`,
  );
}

/** Whether this is a file of the layout before this one, which had manifests beside the data. */
const isFormerFile = (name: string) =>
  /^(hour|day|week)=[^/]*\.(ndjson|csv|parquet)|^all\.(ndjson|csv|parquet)/.test(name) ||
  name.endsWith(".manifest.json");

/** Throws `conflict` if a game's folder of a dataset has files of the former layout. Readers would count them twice. */
export async function assertCurrentLayout(folder: string): Promise<void> {
  const former = (await listFolder(folder)).find(isFormerFile);
  if (former === undefined) return;
  throw new ExportError(
    "conflict",
    `${folder} has files of an earlier version, such as ${former}, which cannot be continued`,
    "Set --out to another folder, or delete this one to export everything again. Nothing was changed.",
  );
}
