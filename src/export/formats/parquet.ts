/** Parquet with Snappy, written one row group at a time: https://parquet.apache.org/docs/file-format/ */
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { ColumnType, ExportColumn, ExportValue } from "../column.ts";
import { ExportError } from "../errors.ts";
import type { ByteSink, Encoder } from "./encoder.ts";

type ParquetColumns = readonly ExportColumn<unknown>[];

/** Rows per row group, which are in memory at the same time. */
const ROW_GROUP_SIZE = 10_000;

const parquetTypes = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  json: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  int64: { type: "INT64" },
  double: { type: "DOUBLE" },
  timestamp: { type: "INT64", converted_type: "TIMESTAMP_MILLIS" },
} as const satisfies Readonly<Record<ColumnType, object>>;

/** Creates a Parquet encoder. All columns are nullable, and JSON is stored as text. */
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
  let pending: (readonly ExportValue[])[] = [];
  /** The buffer is reused, so its content is copied. */
  const drain = async () => {
    const copy = bytes.getBytes().slice();
    bytes.index = 0;
    await sink(copy);
  };
  const writeGroup = async (rows: readonly (readonly ExportValue[])[]) => {
    const columnData = columns.map((column, index) => ({
      name: column.name,
      data: readColumn(rows, index, column),
      // The minimum and maximum of JSON text are useless, and as long as the text itself.
      ...(column.type === "json" ? { statistics: false } : {}),
    }));
    await writer.write({ columnData, rowGroupSize: ROW_GROUP_SIZE });
    await drain();
  };
  return {
    async write(rows) {
      for (const row of rows) pending.push(row);
      while (pending.length >= ROW_GROUP_SIZE) {
        const group = pending.slice(0, ROW_GROUP_SIZE);
        pending = pending.slice(ROW_GROUP_SIZE);
        await writeGroup(group);
      }
    },
    async finish() {
      if (pending.length > 0) await writeGroup(pending);
      pending = [];
      await writer.finish();
      await drain();
    },
  };
}

/** The values of a column. Neighboring rows often have the same whole number, which is converted once. */
function readColumn(
  rows: readonly (readonly ExportValue[])[],
  index: number,
  { name, type }: ExportColumn<unknown>,
): unknown[] {
  if (type === "string" || type === "double") return rows.map((row) => row[index]);
  if (type === "json") return rows.map((row) => (row[index] === null ? null : JSON.stringify(row[index])));
  let [last, converted]: [ExportValue, bigint | null] = [null, null];
  return rows.map((row) => {
    if (row[index] !== last) {
      last = row[index];
      converted = last === null ? null : toWholeNumber(last, name);
    }
    return converted;
  });
}

function toWholeNumber(value: ExportValue, name: string): bigint {
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  throw new ExportError(
    "unsupported_value",
    `Column ${name} of a Parquet file requires whole numbers, but a value is ${JSON.stringify(value)}`,
    "Use --format ndjson, which supports all numbers.",
  );
}
