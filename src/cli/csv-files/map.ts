/** Maps: which columns of a CSV file contain the session, the name, the time and the data of an event. */
import * as z from "zod";
import { environmentSlug, telemetrySources } from "../../contract/telemetry.ts";
import { parseOffset, TIME_FORMATS } from "./times.ts";

/** The file name of the published JSON Schema. */
export const CSV_MAP_SCHEMA_FILE = "playtest.csv-map.schema.json";

export const PRESET_NAMES = ["gameanalytics", "opengamedata", "playfab", "unity-analytics"] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

const columnName = z.string().min(1).max(300).describe("Name of a column in the header");
const path = z
  .string()
  .min(1)
  .max(300)
  .describe("Field of the JSON object in the column, with a period between the names of nested fields");
const inColumn = { column: columnName, path: path.optional() };

/** Where a value of a row comes from. */
const valueSource = z
  .union([
    columnName,
    z.strictObject(inColumn),
    z.strictObject({
      columns: z.array(columnName).min(1).max(20).describe("Columns to join. Empty ones are skipped"),
      separator: z.string().max(10).optional().describe("Text between the columns (default: a colon)"),
    }),
    z.strictObject({ value: z.string().min(1).max(300).describe("The same value for all rows") }),
  ])
  .describe("A column, a field of a JSON column, several columns joined, or a constant");
export type ValueSource = z.output<typeof valueSource>;

const zone = z
  .union([
    z
      .string()
      .refine((text) => parseOffset(text) !== null, "must be UTC or an offset such as +02:00")
      .describe("UTC, or an offset such as +02:00"),
    z.strictObject(inColumn),
  ])
  .describe("Time zone of times that have none. Without it, such rows are rejected");

const timeSource = z.strictObject({
  ...inColumn,
  format: z.enum(TIME_FORMATS).describe("How the column writes times"),
  zone: zone.optional(),
});

const dataColumn = z.union([
  columnName,
  z.strictObject({
    ...inColumn,
    as: z.string().min(1).max(120).optional().describe("Name in the data (default: the field or column)"),
    text: z.boolean().optional().describe("Keep the text, even if it is a number, true, false or JSON"),
  }),
]);
export type DataColumn = z.output<typeof dataColumn>;

/** The file that `--map` names. */
export const csvMapFile = z
  .strictObject({
    $schema: z.string().optional().describe("Path or URL of this schema, for your editor"),
    preset: z
      .enum(PRESET_NAMES)
      .optional()
      .describe("Start from a preset. The fields of this file replace its fields"),
    delimiter: z
      .enum([",", "\t", ";"])
      .optional()
      .describe("Separator (default: the separator that splits the header into most columns)"),
    session: valueSource.optional().describe("ID of the session. Rows with the same id form a session"),
    sessionGapMinutes: z
      .int()
      .min(1)
      .max(1440)
      .optional()
      .describe("Without session ids: a pause of a device that starts a new session, in minutes"),
    device: valueSource.optional().describe("Anonymous id of the device. Each device counts as one tester"),
    tester: valueSource.optional().describe("Handle of the tester"),
    event: valueSource.optional().describe("Name of the event. Required without a preset"),
    eventId: valueSource
      .optional()
      .describe("ID of the event, unique in its session (default: derived from the row)"),
    time: timeSource.optional().describe("When the event happened. Required without a preset"),
    build: valueSource.optional().describe("Build version"),
    environment: valueSource.optional().describe("Environment slug. Upper case becomes lower case"),
    platform: valueSource.optional().describe("Platform"),
    source: z.enum(telemetrySources).optional().describe("SDK that recorded the events"),
    x: valueSource.optional().describe("First coordinate of the position"),
    y: valueSource.optional().describe("Second coordinate of the position"),
    room: valueSource.optional().describe("Room of the event"),
    json: z
      .array(columnName)
      .max(20)
      .optional()
      .describe("Columns with a JSON object. Its fields become data of the event"),
    optional: z
      .array(columnName)
      .max(300)
      .optional()
      .describe("Columns that a file may lack. What is read from them is then empty"),
    data: z.array(dataColumn).max(200).optional().describe("Further columns that become data of the event"),
  })
  .describe("A map for `playtest ingest csv`: what the columns of a CSV file mean");
export type CsvMapFile = z.output<typeof csvMapFile>;

export type CsvMap = Omit<CsvMapFile, "event" | "time"> & {
  readonly event: ValueSource;
  readonly time: z.output<typeof timeSource>;
};

/** A map that a file may fit. */
export interface NamedMap {
  readonly map: CsvMap;
  /** The preset and its table, such as `gameanalytics (table design_event)`; null for a map without a preset. */
  readonly preset: string | null;
  /** Whether nobody has tried the preset on a real export. */
  readonly isExample: boolean;
}

/** Returns what a map lacks, or null if it is complete. */
export function findMapFault(map: CsvMapFile): string | null {
  if (map.event === undefined) return '"event" is missing: it names the column with the name of the event';
  if (map.time === undefined) return '"time" is missing: it names the column with the time of the event';
  if (map.session === undefined && map.sessionGapMinutes === undefined)
    return '"session" is missing: it names the column with the id of the session';
  if (map.session !== undefined && map.sessionGapMinutes !== undefined)
    return '"session" and "sessionGapMinutes" cannot be used together';
  if (map.session === undefined && map.device === undefined)
    return '"device" is missing: "sessionGapMinutes" needs it to find the sessions';
  const constant = map.environment;
  if (
    typeof constant === "object" &&
    "value" in constant &&
    !environmentSlug.safeParse(constant.value).success
  )
    return `"environment" ${JSON.stringify(constant.value)} is not an environment slug`;
  return null;
}

export function csvMapSchema(): Record<string, unknown> {
  return z.toJSONSchema(csvMapFile, { io: "input" }) as Record<string, unknown>;
}
