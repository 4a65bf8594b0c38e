/** The formats of exported files, by name. */
import type { ExportColumn } from "../column.ts";
import type { ByteSink, Encoder, TextSanitizer } from "./encoder.ts";
import { createGzipEncoder } from "./gzip.ts";
import { createCsvEncoder, createNdjsonEncoder } from "./text-encoders.ts";

export const fileFormats = ["ndjson", "csv", "parquet"] as const;
export type FileFormat = (typeof fileFormats)[number];

export interface Encoding {
  readonly format: FileFormat;
  /** Whether the whole file is compressed. Parquet compresses its columns itself. */
  readonly gzip: boolean;
  readonly sanitizer: TextSanitizer;
  /** The name and version of the program, for the metadata of files. */
  readonly tool: string;
}

/** Such as `.csv.gz`. */
export function formatExtension({ format, gzip }: Pick<Encoding, "format" | "gzip">): string {
  return `.${format}${gzip ? ".gz" : ""}`;
}

/** Creates the encoder of one file. */
export async function createEncoder(
  columns: readonly ExportColumn<unknown>[],
  sink: ByteSink,
  { format, gzip, sanitizer, tool }: Encoding,
): Promise<Encoder> {
  if (format === "parquet") {
    const { createParquetEncoder } = await import("./parquet.ts");
    return createParquetEncoder(columns, sink, tool);
  }
  const createTextEncoder = (target: ByteSink) =>
    format === "csv"
      ? createCsvEncoder(columns, target, sanitizer)
      : createNdjsonEncoder(columns, target, sanitizer);
  return gzip ? createGzipEncoder(createTextEncoder, sink) : createTextEncoder(sink);
}
