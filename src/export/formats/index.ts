/** The formats of exported files, by name. */
import type { ExportColumn } from "../column.ts";
import type { ByteSink, Encoder, TextSanitizer } from "./encoder.ts";
import { createGzipEncoder } from "./gzip.ts";
import { createCsvEncoder, createNdjsonEncoder } from "./text-encoders.ts";

export const fileFormats = ["ndjson", "csv", "parquet"] as const;
export type FileFormat = (typeof fileFormats)[number];

export interface Encoding {
  readonly format: FileFormat;
  /** Compressed as a whole; Parquet compresses its own columns. */
  readonly gzip: boolean;
  readonly sanitizer: TextSanitizer;
  /** The program's name and version, for files that name it. */
  readonly tool: string;
}

/** Such as `.csv.gz`. */
export function formatExtension({ format, gzip }: Pick<Encoding, "format" | "gzip">): string {
  return `.${format}${gzip ? ".gz" : ""}`;
}

/** The encoder of one file. */
export async function createEncoder(
  columns: readonly ExportColumn<unknown>[],
  sink: ByteSink,
  { format, gzip, sanitizer: rules, tool }: Encoding,
): Promise<Encoder> {
  if (format === "parquet") {
    const { createParquetEncoder } = await import("./parquet.ts");
    return createParquetEncoder(columns, sink, tool);
  }
  const make = (into: ByteSink) =>
    format === "csv" ? createCsvEncoder(columns, into, rules) : createNdjsonEncoder(columns, into, rules);
  return gzip ? createGzipEncoder(make, sink) : make(sink);
}
