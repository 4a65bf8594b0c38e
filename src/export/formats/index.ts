/** The formats of exported files, by name. */
import type { Column } from "../column.ts";
import type { Encoder, Sink, TextRules } from "./encoder.ts";
import { gzipped } from "./gzip.ts";
import { csvEncoder, ndjsonEncoder } from "./lines.ts";

export const fileFormats = ["ndjson", "csv", "parquet"] as const;
export type FileFormat = (typeof fileFormats)[number];

export interface Encoding {
  readonly format: FileFormat;
  /** Compressed as a whole; Parquet compresses its own columns. */
  readonly gzip: boolean;
  readonly rules: TextRules;
  /** The program's name and version, for files that name it. */
  readonly tool: string;
}

/** Such as `.csv.gz`. */
export function extensionOf({ format, gzip }: Pick<Encoding, "format" | "gzip">): string {
  return `.${format}${gzip ? ".gz" : ""}`;
}

/** The encoder of one file. */
export async function encoderOf(
  columns: readonly Column<unknown>[],
  sink: Sink,
  { format, gzip, rules, tool }: Encoding,
): Promise<Encoder> {
  if (format === "parquet") {
    const { parquetEncoder } = await import("./parquet.ts");
    return parquetEncoder(columns, sink, tool);
  }
  const make = (into: Sink) =>
    format === "csv" ? csvEncoder(columns, into, rules) : ndjsonEncoder(columns, into, rules);
  return gzip ? gzipped(make, sink) : make(sink);
}
