/** The preview of an import: what the columns become, and what would be stored and rejected. */
import { type Detail, renderDetails } from "../../render/details.ts";
import type { RenderOptions } from "../../render/options.ts";
import { renderTable } from "../../render/table.ts";
import { defineColumns } from "../../render/tables/columns.ts";
import { cleanLine } from "../../render/text.ts";
import { createTable, type Result } from "../command.ts";
import { describeSource } from "../telemetry-files/bytes.ts";
import { listColumns, listSourceColumns, listSources, RowFault } from "./columns.ts";
import type { ValueSource } from "./map.ts";
import type { CsvImport } from "./open.ts";
import { writeEvent } from "./requests.ts";
import type { ImportedEvent, ImportedRow, RejectedRow } from "./rows.ts";
import { toEnvelope } from "./sessions.ts";

const FIRST_ROWS = 3;
const MAX_REJECTIONS = 20;
/** The maximum number of event names and of sessions that are counted one by one, so that any file can be previewed. */
const MAX_NAMES = 2000;
const MAX_SESSIONS = 1_000_000;

const OTHER_EVENTS = "(other)";

export interface Preview {
  readonly file: string;
  /** The preset and its table; null for a map without a preset. */
  readonly preset: string | null;
  /** Whether nobody has tried the preset on a real export. */
  readonly isExample: boolean;
  /** What is read from where, such as `session` from `EVENT_JSON.sessionID`. */
  readonly columns: readonly { readonly field: string; readonly from: string }[];
  /** Columns of the file that the map does not use. */
  readonly unused: readonly string[];
  rows: number;
  rejected: number;
  sessions: number;
  devices: number;
  /** Unix ms; null without events. */
  from: number | null;
  to: number | null;
  readonly events: { readonly name: string; count: number }[];
  /** The first rows as they would be sent. */
  readonly first: Record<string, unknown>[];
  readonly refusals: { readonly line: number; readonly message: string }[];
}

/** Reads a whole file without sending anything. */
export async function previewImport(input: CsvImport): Promise<Preview> {
  const preview = createPreview(input);
  const counts: Counts = { sessions: new Set(), devices: new Set(), events: new Map() };
  for await (const rows of input.rows) for (const row of rows) countRow(preview, row, input, counts);
  preview.sessions = counts.sessions.size;
  preview.devices = counts.devices.size;
  const byCount = [...counts.events].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  preview.events.push(...byCount.map(([name, count]) => ({ name, count })));
  return preview;
}

interface Counts {
  readonly sessions: Set<string>;
  readonly devices: Set<string>;
  readonly events: Map<string, number>;
}

function countRow(preview: Preview, row: ImportedRow | RejectedRow, input: CsvImport, counts: Counts): void {
  preview.rows += 1;
  try {
    addRow(preview, row, input, counts);
  } catch (error) {
    if (!(error instanceof RowFault)) throw error;
    preview.rejected += 1;
    if (preview.refusals.length < MAX_REJECTIONS)
      preview.refusals.push({ line: row.line, message: error.message });
  }
}

function addRow(preview: Preview, row: ImportedRow | RejectedRow, input: CsvImport, counts: Counts): void {
  if ("message" in row) throw new RowFault(row.message);
  const { session, fields } = input.sessions.find(row);
  const { event } = row;
  writeEvent(event);
  if (counts.sessions.size < MAX_SESSIONS) counts.sessions.add(session);
  if (fields.device !== "" && counts.devices.size < MAX_SESSIONS) counts.devices.add(fields.device);
  const isCounted = counts.events.has(event.name) || counts.events.size < MAX_NAMES;
  const name = isCounted ? event.name : OTHER_EVENTS;
  counts.events.set(name, (counts.events.get(name) ?? 0) + 1);
  preview.from = Math.min(preview.from ?? event.timestamp, event.timestamp);
  preview.to = Math.max(preview.to ?? event.timestamp, event.timestamp);
  if (preview.first.length < FIRST_ROWS)
    preview.first.push({
      line: row.line,
      clientSessionId: session,
      ...toEnvelope(fields),
      event: show(event),
    });
}

const show = ({ id, name, timestamp, data }: ImportedEvent) => ({
  id,
  name,
  timestamp,
  ...(data === undefined ? {} : { data }),
});

function createPreview({ file, header, map, preset, isExample }: CsvImport): Preview {
  const { column, path, format, zone } = map.time;
  const zoneText = zone === undefined ? "" : ` in ${typeof zone === "string" ? zone : describe(zone)}`;
  const time = `${path === undefined ? column : `${column}.${path}`} (${format}${format === "iso" ? zoneText : ""})`;
  const names = new Set(header.map((name) => name.toLowerCase()));
  const isThere = (name: string) => names.has(name.toLowerCase());
  const describeColumns = (source: ValueSource) => {
    const needed = listSourceColumns(source);
    return needed.length === 0 || needed.some(isThere)
      ? describe(source)
      : `nothing, because the file has no column ${needed.join(", ")}`;
  };
  const data = [
    ...(map.json ?? []).filter(isThere).map((name) => `${name} (all fields)`),
    ...(map.data ?? [])
      .filter((one) => isThere(typeof one === "string" ? one : one.column))
      .map((one) => (typeof one === "string" ? one : describe(one))),
  ];
  const sources = [
    ...Object.entries(listSources(map)).flatMap(([field, source]) =>
      source === undefined ? [] : [{ field, from: describeColumns(source) }],
    ),
    ...(map.sessionGapMinutes === undefined
      ? []
      : [{ field: "session", from: `${map.sessionGapMinutes} min without an event of the device` }]),
    { field: "time", from: time },
    ...(data.length === 0 ? [] : [{ field: "data", from: data.join(", ") }]),
  ];
  const used = new Set(listColumns(map).map((name) => name.toLowerCase()));
  const unused = header.filter((name) => !used.has(name.toLowerCase()));
  const none = { rows: 0, rejected: 0, sessions: 0, devices: 0, from: null, to: null };
  return { file, preset, isExample, columns: sources, unused, ...none, events: [], first: [], refusals: [] };
}

function describe(source: ValueSource | { column: string; path?: string | undefined }): string {
  if (typeof source === "string") return source;
  if ("value" in source) return `always ${JSON.stringify(source.value)}`;
  if ("columns" in source) return source.columns.join(` ${source.separator ?? ":"} `);
  return source.path === undefined ? source.column : `${source.column}.${source.path}`;
}

interface EventRow {
  readonly file: string;
  readonly name: string;
  readonly count: number;
}

/** The number of event names that people see. Other formats list all. */
const SHOWN_EVENTS = 15;

const columns = defineColumns<EventRow>({
  file: { header: "FILE", shrink: 2 },
  name: { header: "EVENT", shrink: 1 },
  count: { header: "EVENTS" },
});

/** The result of a dry run. The verdict is `incomplete` if rows would be rejected. */
export function toPreviewResult(previews: readonly Preview[]): Result {
  const rows = previews.flatMap(({ file, events }) => events.map((event) => ({ file, ...event })));
  const result: Result = {
    data: { files: previews },
    table: createTable(rows, columns, "The files have no rows."),
    view: (options) => previews.map((preview) => renderPreview(preview, options)).join("\n"),
  };
  const rejected = previews.reduce((sum, preview) => sum + preview.rejected, 0);
  if (rejected === 0) return result;
  const message = `${rejected} ${rejected === 1 ? "row" : "rows"} would be rejected`;
  const hint = "Nothing was sent. Fix the rows or the map; all other rows can be stored.";
  return { ...result, verdict: { code: "incomplete", message, hint } };
}

function renderPreview(preview: Preview, options: RenderOptions): string {
  const { file, preset, isExample, unused, rows, rejected, from, to, events, first, refusals } = preview;
  const iso = (time: number) => new Date(time).toISOString();
  const details: Detail[] = [
    ["File", describeSource(file)],
    ...(preset === null
      ? []
      : ([["Preset", `${preset}${isExample ? ": an example, not tried on a real export" : ""}`]] as const)),
    ...preview.columns.map(({ field, from: source }): Detail => [field, source]),
    ["Unused columns", unused.length === 0 ? "none" : unused.join(", ")],
    ["Rows", rows],
    ["Rejected rows", rejected, rejected > 0 ? "bad" : "muted"],
    ["Sessions", preview.sessions],
    ["Devices", preview.devices],
    ["Time", from === null || to === null ? null : `${iso(from)} to ${iso(to)}`],
  ];
  const shown = events.slice(0, SHOWN_EVENTS).map((event) => ({ file, ...event }));
  const more = events.length - shown.length;
  const lines = [
    ...(rows === 0 && rejected === 0 ? ["The file has no rows after its header."] : []),
    ...(more > 0 ? [`${more} more event names`, ""] : []),
    ...(first.length === 0 ? [] : ["First rows:", ...first.map((row) => JSON.stringify(row)), ""]),
    ...(refusals.length === 0
      ? []
      : [`Rejected rows${rejected > refusals.length ? `, the first ${refusals.length}` : ""}:`]),
    ...refusals.map(({ line, message }) => `line ${line}: ${message}`),
  ];
  const table = shown.length === 0 ? "" : `\n${renderTable(shown, columns.slice(1), options)}\n`;
  return `${renderDetails(details, options)}${table}${lines.map((line) => `${cleanLine(line)}\n`).join("")}`;
}
