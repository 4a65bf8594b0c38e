/** The manifest beside each exported file: what is in it, what was asked for, and how to tell that it is whole. */
import type { TimeSpan } from "../../shared/calendar.ts";
import type { Dataset } from "../datasets/dataset.ts";
import type { FileFormat } from "../formats/index.ts";

/** Raised when a reader of manifests or of columns has to change. */
export const MANIFEST_SCHEMA_VERSION = 1;

export const MANIFEST_SUFFIX = ".manifest.json";

/** What was asked for. */
export interface ManifestQuery {
  /** Origin of the service. */
  readonly service: string;
  /** Slugs. */
  readonly games: readonly string[];
  /** Empty for one aggregate over all. */
  readonly environments: readonly string[];
  /** What events are counted by; null for datasets without time. */
  readonly by: string | null;
  /** Unix ms, both inclusive; null for datasets without time and where there is nothing in it. */
  readonly span: TimeSpan | null;
}

/** What was written. */
export interface FileStats {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

export interface ManifestInput extends FileStats {
  readonly dataset: Dataset<unknown>;
  readonly query: ManifestQuery;
  /** The file's own name. */
  readonly file: string;
  readonly format: FileFormat;
  readonly gzip: boolean;
  /** More may come for its stretch of time: it is not over yet, or not covered whole. */
  readonly open: boolean;
  /** The program's name and version. */
  readonly tool: string;
  /** Unix ms. */
  readonly writtenAt: number;
}

/** The manifest as JSON text. */
export function formatManifest(input: ManifestInput): string {
  const { dataset, query, file, format, gzip, rows, bytes, sha256, open, tool, writtenAt } = input;
  const { span, ...asked } = query;
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
    query: { ...asked, from: span?.from ?? null, to: span?.to ?? null },
    columns: dataset.columns.map(({ name, type, unit }) => ({ name, type, unit })),
    tool,
    writtenAt: new Date(writtenAt).toISOString(),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
