/** The manifest of each exported file: its contents, the query, and a checksum to verify that it is complete. */
import type { TimeSpan } from "../../shared/calendar.ts";
import type { Dataset } from "../datasets/dataset.ts";
import type { FileFormat } from "../formats/index.ts";

/** The numbers of items of a series that are not exported because of their time. */
export interface LeftOut {
  /** Before the range. With --since-last, earlier runs may have exported them. */
  readonly before: number;
  /** After the range, but not in the future. */
  readonly after: number;
  /** After the range and in the future, because of a wrong clock. They are exported once their time has come. */
  readonly future: number;
}

/** Incremented when code that reads manifests or columns has to change. */
export const MANIFEST_SCHEMA_VERSION = 3;

/** Of the manifest beside a single file. */
export const MANIFEST_SUFFIX = ".manifest.json";

interface ManifestQuery {
  /** The URL of the service. */
  readonly service: string;
  /** Slugs. */
  readonly games: readonly string[];
  /** Empty for all environments combined. */
  readonly environments: readonly string[];
  /** hour, day or week; null for datasets without time. */
  readonly by: string | null;
  /** The time that decides to which file a row belongs; null for datasets without time. */
  readonly time: string | null;
  /** Unix ms, both inclusive; null for datasets without time and for empty series. */
  readonly span: TimeSpan | null;
}

export interface FileStats {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

interface ManifestInput extends FileStats {
  readonly dataset: Dataset<unknown>;
  readonly query: ManifestQuery;
  /** The path within the folder of the export, or the name of a single file. */
  readonly file: string;
  readonly format: FileFormat;
  readonly gzip: boolean;
  /** Whether its time range is not over or not covered completely, so that a later run may add rows. */
  readonly open: boolean;
  /** What the time range of all games together does not include; absent in a file of one hour, day or week. */
  readonly leftOut?: LeftOut | null;
  /** The name and version of the program. */
  readonly tool: string;
  /** Unix ms. */
  readonly writtenAt: number;
}

/** The columns of a dataset as manifests describe them. */
export const formatColumns = ({ columns }: Dataset<unknown>) =>
  columns.map(({ name, type, unit }) => ({ name, type, unit }));

/** The manifest as JSON text. */
export function formatManifest(input: ManifestInput): string {
  const { dataset, query, file, format, gzip, rows, bytes, sha256, open, leftOut, tool, writtenAt } = input;
  const { span, ...filters } = query;
  const manifest = {
    schemaVersion: MANIFEST_SCHEMA_VERSION,
    dataset: dataset.name,
    file,
    format,
    gzip,
    rows,
    bytes,
    sha256,
    open,
    query: { ...filters, from: span?.from ?? null, to: span?.to ?? null },
    ...(leftOut ? { leftOut } : {}),
    columns: formatColumns(dataset),
    tool,
    writtenAt: new Date(writtenAt).toISOString(),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
