/** Finds files of earlier runs that are missing, damaged or outdated, by their manifests. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import * as z from "zod";
import { type BucketWidth, bucketAt, findBucketStart } from "../../shared/calendar.ts";
import type { Dataset } from "../datasets/dataset.ts";
import { ALL_TIME } from "../state.ts";
import { formatColumns, MANIFEST_SCHEMA_VERSION } from "./manifest.ts";
import {
  dataFolder,
  listFiles,
  listManifests,
  type PartitionFiles,
  type SeriesFiles,
  withoutPathColumns,
} from "./partition.ts";
import { findFolder, readPathKind } from "./paths.ts";
import { readJson } from "./query-conflict.ts";

/** The files of one series. */
interface InspectedSeries {
  readonly dataset: Dataset<unknown>;
  readonly slug: string;
  readonly by: BucketWidth;
  /** The time that decides to which file a row belongs. */
  readonly time: string | null;
}

export interface InspectedFolder {
  /** The starts of hours, days or weeks whose file must be written again, unix ms. */
  readonly damaged: readonly number[];
  /** Whether rows of some files are assigned to them by another time than now. */
  readonly hasOtherTime: boolean;
}

export interface FolderInspector {
  /** `recorded` are the starts of the files that earlier runs have written. */
  inspect(series: InspectedSeries, recorded: readonly number[]): Promise<InspectedFolder>;
}

/**
 * The bytes per series whose checksums are computed in each run. Beyond that, only files that were modified after their
 * manifest are read, so that a run does not take longer with every year of data.
 */
const MAX_HASHED_BYTES = 256 * 1024 * 1024;

const manifestSchema = z.object({
  schemaVersion: z.int(),
  bytes: z.int(),
  sha256: z.string(),
  columns: z.unknown(),
  query: z.object({ from: z.int().nullable(), time: z.string().nullable() }),
});
type Manifest = z.output<typeof manifestSchema>;

export function createFolderInspector(root: string, extension: string): FolderInspector {
  return {
    async inspect(series, recorded) {
      const { slug, by } = series;
      const dataset = withoutPathColumns(series.dataset);
      const files: SeriesFiles = { dataset: dataset.name, slug, by, extension };
      if ((await findFolder(root, dataFolder(files))) === null)
        return { damaged: recorded, hasOtherTime: false };
      const manifests = await readManifests(root, files);
      const budget = { bytes: MAX_HASHED_BYTES };
      const damaged: number[] = [];
      // The newest files are read first.
      for (const start of [...new Set([...recorded, ...manifests.keys()])].sort((a, b) => b - a)) {
        const partition = listFiles(files, bucketAt(start, by, ALL_TIME).label);
        const manifest = manifests.get(start);
        const isIntact =
          manifest && isCurrent(manifest, dataset) && (await isUndamaged(root, partition, manifest, budget));
        if (!isIntact) damaged.push(start);
      }
      const hasOtherTime = [...manifests.values()].some((manifest) => isOtherTime(manifest, series));
      return { damaged, hasOtherTime };
    },
  };
}

/** The manifests of a series by the start of their hour, day or week. Those that cannot be read are absent. */
async function readManifests(root: string, files: SeriesFiles): Promise<Map<number, Manifest>> {
  const manifests = new Map<number, Manifest>();
  for (const path of await listManifests(root, files)) {
    const manifest = manifestSchema.safeParse(await readJson(path)).data;
    const from = manifest?.query.from ?? null;
    if (manifest !== undefined && from !== null) manifests.set(findBucketStart(from, files.by), manifest);
  }
  return manifests;
}

/** Whether a file has the columns of this version, with the same meaning. */
function isCurrent({ schemaVersion, columns }: Manifest, dataset: Dataset<unknown>): boolean {
  return (
    schemaVersion === MANIFEST_SCHEMA_VERSION &&
    JSON.stringify(columns) === JSON.stringify(formatColumns(dataset))
  );
}

/** Whether the rows of a file were assigned to it by another time. */
function isOtherTime({ query }: Manifest, { time }: InspectedSeries): boolean {
  return time !== null && query.time !== time;
}

async function isUndamaged(
  root: string,
  partition: PartitionFiles,
  { bytes, sha256 }: Manifest,
  budget: { bytes: number },
): Promise<boolean> {
  const path = join(root, ...partition.data);
  if ((await readPathKind(path)) !== "file") return false;
  // A run was killed while it replaced the file.
  if ((await readPathKind(join(root, ...partition.draft))) !== null) return false;
  const data = await stat(path);
  if (data.size !== bytes) return false;
  const isModified = data.mtimeMs > (await stat(join(root, ...partition.manifest))).mtimeMs;
  if (!isModified && bytes > budget.bytes) return true;
  budget.bytes -= bytes;
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex") === sha256;
}
