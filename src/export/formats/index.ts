/** The formats of exported files, by name. */
import { once } from "node:events";
import { createGzip } from "node:zlib";
import type { ExportColumn, ExportValue } from "../column.ts";
import type { ByteSink, Encoder, TextSanitizer } from "./encoder.ts";

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

/**
 * Wraps the encoder that `createInner` creates, and compresses its bytes. The same input gives the same bytes, because Node
 * writes no time into the header.
 */
function createGzipEncoder(createInner: (sink: ByteSink) => Encoder, sink: ByteSink): Encoder {
  const gzip = createGzip();
  let failure: unknown = null;
  const drained = (async () => {
    for await (const chunk of gzip as AsyncIterable<Uint8Array>) await sink(chunk);
  })().catch((error: unknown) => {
    failure = error;
    gzip.destroy();
  });
  const rethrow = () => {
    if (failure !== null) throw failure;
  };
  const inner = createInner(async (bytes) => {
    if (gzip.write(bytes)) return;
    await Promise.race([once(gzip, "drain"), drained]);
    rethrow();
  });
  return {
    write: (rows) => inner.write(rows),
    async finish() {
      await inner.finish();
      gzip.end();
      await drained;
      rethrow();
    },
  };
}

type TextFileColumns = readonly ExportColumn<unknown>[];

/** One JSON object per line, with fields in the order of the columns. */
function createNdjsonEncoder(columns: TextFileColumns, sink: ByteSink, sanitizer: TextSanitizer): Encoder {
  const keys = columns.map(({ name }, index) => `${index === 0 ? "{" : ","}${JSON.stringify(name)}:`);
  const formatRow = createRowFormat(keys.map((key) => (value) => key + JSON.stringify(value)));
  return {
    async write(rows) {
      let lines = "";
      for (const row of rows) lines += `${formatRow(row)}}\n`;
      await sink(Buffer.from(sanitizer.json(lines)));
    },
    finish: async () => {},
  };
}

/** A header with the column names, then one record per row. Null is an empty field; JSON is text. */
function createCsvEncoder(columns: TextFileColumns, sink: ByteSink, sanitizer: TextSanitizer): Encoder {
  const header = columns.map(({ name }) => sanitizer.csvText(name)).join(",");
  const formatRow = createRowFormat(
    columns.map(({ type }, index) => {
      const formatCell = type === "json" ? formatJsonCell : formatPlainCell;
      return (value) => (index === 0 ? "" : ",") + (value === null ? "" : formatCell(value, sanitizer));
    }),
  );
  let hasHeader = false;
  const write = async (rows: readonly (readonly ExportValue[])[]) => {
    let lines = hasHeader ? "" : `${header}\n`;
    hasHeader = true;
    for (const row of rows) lines += `${formatRow(row)}\n`;
    await sink(Buffer.from(lines));
  };
  return { write, finish: async () => (hasHeader ? undefined : await write([])) };
}

const formatJsonCell = (value: ExportValue, { csvJson }: TextSanitizer) => csvJson(JSON.stringify(value));
const formatPlainCell = (value: ExportValue, { csvText }: TextSanitizer) =>
  typeof value === "string" ? csvText(value) : String(value);

/** Creates a function that joins the texts of cells. Neighboring rows often have the same value, which is formatted once. */
function createRowFormat(
  formats: readonly ((value: ExportValue) => string)[],
): (row: readonly ExportValue[]) => string {
  const values: ExportValue[] = formats.map(() => undefined);
  const texts = formats.map(() => "");
  return (row) => {
    let line = "";
    for (let index = 0; index < formats.length; index += 1) {
      const value = row[index];
      if (value !== values[index]) {
        values[index] = value;
        texts[index] = formats[index]?.(value) ?? "";
      }
      line += texts[index];
    }
    return line;
  };
}
