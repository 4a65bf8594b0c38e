/** Parquet with Snappy, a row group at a time: https://parquet.apache.org/docs/file-format/ */
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { ColumnType, ExportColumn, ExportValue } from "../column.ts";
import { ExportError } from "../errors.ts";
import type { ByteSink, Encoder } from "./encoder.ts";

type ParquetColumns = readonly ExportColumn<unknown>[];

/** Rows of a row group: what is held in memory at once. */
const ROW_GROUP_SIZE = 10_000;

const parquetTypes = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  json: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  int64: { type: "INT64" },
  double: { type: "DOUBLE" },
  timestamp: { type: "INT64", converted_type: "TIMESTAMP_MILLIS" },
} as const satisfies Readonly<Record<ColumnType, object>>;

/** Every column may be null; JSON is text. */
export function createParquetEncoder(columns: ParquetColumns, sink: ByteSink, createdBy: string): Encoder {
  const bytes = new ByteWriter();
  const schema = [
    { name: "root", num_children: columns.length },
    ...columns.map(({ name, type }) => ({
      name,
      repetition_type: "OPTIONAL" as const,
      ...parquetTypes[type],
    })),
  ];
  const writer = new ParquetWriter({ writer: bytes, schema, codec: "SNAPPY", createdBy });
  let held: (readonly ExportValue[])[] = [];
  /** The buffer is used again, so what is in it leaves as a copy. */
  const drain = async () => {
    const part = bytes.getBytes().slice();
    bytes.index = 0;
    await sink(part);
  };
  const writeGroup = async (rows: readonly (readonly ExportValue[])[]) => {
    const columnData = columns.map((column, at) => ({
      name: column.name,
      data: rows.map((row) => toParquetValue(row[at], column)),
      // The least and the greatest JSON text tell nothing, and are as long as it.
      ...(column.type === "json" ? { statistics: false } : {}),
    }));
    await writer.write({ columnData, rowGroupSize: ROW_GROUP_SIZE });
    await drain();
  };
  return {
    async write(rows) {
      for (const row of rows) held.push(row);
      while (held.length >= ROW_GROUP_SIZE) {
        const group = held.slice(0, ROW_GROUP_SIZE);
        held = held.slice(ROW_GROUP_SIZE);
        await writeGroup(group);
      }
    },
    async finish() {
      if (held.length > 0) await writeGroup(held);
      held = [];
      await writer.finish();
      await drain();
    },
  };
}

function toParquetValue(value: ExportValue, { name, type }: ExportColumn<unknown>): unknown {
  if (value === null) return null;
  if (type === "json") return JSON.stringify(value);
  if (type === "string" || type === "double") return value;
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  throw new ExportError(
    "unsupported_value",
    `${JSON.stringify(value)} is not a whole number, as ${name} has to be`,
    "Export it as ndjson, which keeps any number.",
  );
}
