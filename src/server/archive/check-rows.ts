/** Checks rows of an archive before they are stored: the types of their values, the sizes of binary columns, and JSON. */
import * as z from "zod";
import { session } from "../../contract/sessions.ts";
import { nestsWithin } from "../../contract/telemetry.ts";
import { DamagedData } from "../core/damaged-data.ts";
import type { TableName } from "../db/tables.ts";
import { BYTES_PER_POINT } from "../positions/points.ts";
import { listDayCounts } from "../telemetry/event-block.ts";
import type { ArchiveRow, ArchiveValue } from "./queries.ts";

/** What each column of a table contains, as the database stores it. */
export type ColumnTypes = ReadonlyMap<string, ColumnType>;
type ColumnType = "text" | "integer" | "number" | "bytes";

/** The type of a column. SQLite and Postgres use different names. */
export function toColumnType(dataType: string): ColumnType {
  if (/blob|bytea/i.test(dataType)) return "bytes";
  if (/int/i.test(dataType)) return "integer";
  return /double|float|real/i.test(dataType) ? "number" : "text";
}

/** More levels of nested JSON than any request may have. Serializing JSON recurses. */
const MAX_NESTING = 200;

const anyObject = z.looseObject({});
const objects = z.array(anyObject);
const count = z.int().min(0);

/** The columns that contain JSON, and what the service relies on when it reads them. */
const jsonColumns: { readonly [Name in TableName]?: Readonly<Record<string, z.ZodType>> } = {
  erasures: { plan: objects, counts: anyObject },
  feedback_forms: { fields: objects },
  audiences: { predicates: objects },
  experiments: { variants: z.array(z.looseObject({ key: z.string() })) },
  sessions: {
    metadata: z.looseObject({ gameVersion: z.string(), platform: z.string() }),
    event_counts: z.record(z.string(), count),
    snapshot: anyObject,
    experiment_tags: z.record(z.string(), z.string()),
    item: session,
  },
  event_count_blocks: { names: z.array(z.string()) },
  position_slices: { parts: z.array(z.tuple([count, count])) },
  feedback_submissions: {
    responses: z.array(
      z.looseObject({
        ...{ id: z.string(), fieldId: z.string(), label: z.string() },
        ...{ kind: z.string(), value: z.string() },
      }),
    ),
  },
  insights: { claims: objects },
  crash_reports: { data: anyObject },
  experiment_digests: { digest: anyObject },
  suggestion_answers: { answer: z.unknown() },
};

/** Returns why a row cannot be imported, or null. */
export function findRowFault(
  table: TableName,
  columns: readonly string[],
  types: ColumnTypes,
  row: ArchiveRow,
): string | null {
  for (const [index, column] of columns.entries()) {
    const value = row[index] ?? null;
    if (value === null) continue;
    const type = types.get(column) ?? "text";
    if (!hasType(value, type)) return `the column ${column} is not of the type ${type}`;
    const schema = jsonColumns[table]?.[column];
    const fault = schema && findJsonFault(String(value), schema);
    if (fault) return `the column ${column} ${fault}`;
  }
  const get = (column: string) => row[columns.indexOf(column)] ?? null;
  if (table === "position_chunks" || table === "position_blocks") return findPointsFault(get);
  if (table === "event_count_blocks") return findCountsFault(get);
  if (table === "embeddings" && (get("vector") as Uint8Array).byteLength % 8 !== 0)
    return "the column vector has an incomplete number";
  return null;
}

function hasType(value: ArchiveValue, type: ColumnType): boolean {
  if (type === "bytes") return value instanceof Uint8Array;
  if (type === "text") return typeof value === "string";
  return type === "integer" ? Number.isSafeInteger(value) : typeof value === "number";
}

function findJsonFault(text: string, schema: z.ZodType): string | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return "is not valid JSON";
  }
  if (!nestsWithin(json, MAX_NESTING)) return `is nested more than ${MAX_NESTING} levels deep`;
  const { error } = schema.safeParse(json);
  const [issue] = error?.issues ?? [];
  return issue
    ? `is invalid${issue.path.length > 0 ? ` at ${issue.path.join(".")}` : ""}: ${issue.message}`
    : null;
}

/** Positions have two finite numbers each. */
function findPointsFault(get: (column: string) => ArchiveValue): string | null {
  const [points, xy] = [Number(get("points")), get("xy") as Uint8Array];
  if (points < 1 || xy.byteLength !== BYTES_PER_POINT * points)
    return `the column xy has ${xy.byteLength} bytes for ${points} points`;
  const view = new DataView(xy.buffer, xy.byteOffset, xy.byteLength);
  for (let at = 0; at < xy.byteLength; at += 8)
    if (!Number.isFinite(view.getFloat64(at, true)))
      return "the column xy has a coordinate that is not finite";
  const bounds = ["x_min", "x_max", "y_min", "y_max"].map((column) => Number(get(column)));
  return bounds.every(Number.isFinite) ? null : "the bounds of the positions are not finite";
}

/** Counts of events have a place, which refers to a name, and a whole number. */
function findCountsFault(get: (column: string) => ArchiveValue): string | null {
  const block = Number(get("block"));
  const counts = get("counts") as Uint8Array;
  try {
    const found = listDayCounts({ block, names: String(get("names")), counts });
    return found.every(({ count }) => Number.isSafeInteger(count))
      ? null
      : "the column counts has a number that is not whole";
  } catch (error) {
    if (!(error instanceof DamagedData)) throw error;
    return `the column counts is damaged: ${error.message}`;
  }
}
