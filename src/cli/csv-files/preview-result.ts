/** Shows the preview of an import. */
import type { TableColumn } from "../../render/columns.ts";
import { type Detail, renderDetails } from "../../render/details.ts";
import type { RenderOptions } from "../../render/options.ts";
import { renderTable } from "../../render/table.ts";
import { cleanLine } from "../../render/text.ts";
import { createTable, type Result } from "../command.ts";
import { describeSource } from "../telemetry-files/bytes.ts";
import type { Preview } from "./preview.ts";

interface EventRow {
  readonly file: string;
  readonly name: string;
  readonly count: number;
}

/** The number of event names that people see. Other formats list all. */
const SHOWN_EVENTS = 15;

const nameColumn: TableColumn<EventRow> = {
  key: "name",
  header: "EVENT",
  value: ({ name }) => name,
  shrink: 1,
};
const countColumn: TableColumn<EventRow> = { key: "count", header: "EVENTS", value: ({ count }) => count };
const fileColumn: TableColumn<EventRow> = {
  key: "file",
  header: "FILE",
  value: ({ file }) => file,
  shrink: 2,
};

/** The result of a dry run. The verdict is `incomplete` if rows would be rejected. */
export function toPreviewResult(previews: readonly Preview[]): Result {
  const rows = previews.flatMap(({ file, events }) => events.map((event) => ({ file, ...event })));
  const result: Result = {
    data: { files: previews },
    table: createTable(rows, [fileColumn, nameColumn, countColumn], "The files have no rows."),
    view: (options) => previews.map((preview) => renderPreview(preview, options)).join("\n"),
  };
  const rejected = previews.reduce((sum, preview) => sum + preview.rejected, 0);
  if (rejected === 0) return result;
  const message = `${rejected} ${rejected === 1 ? "row" : "rows"} would be rejected`;
  const hint = "Nothing was sent. Fix the rows or the map; all other rows can be stored.";
  return { ...result, verdict: { code: "incomplete", message, hint } };
}

function renderPreview(preview: Preview, options: RenderOptions): string {
  const { file, columns, unused, rows, rejected, sessions, devices, from, to, events, first, refusals } =
    preview;
  const iso = (time: number) => new Date(time).toISOString();
  const details: Detail[] = [
    ["File", describeSource(file)],
    ...columns.map(({ field, from: source }): Detail => [field, source]),
    ["Unused columns", unused.length === 0 ? "none" : unused.join(", ")],
    ["Rows", rows],
    ["Rejected rows", rejected, rejected > 0 ? "bad" : "muted"],
    ["Sessions", sessions],
    ["Devices", devices],
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
  const table = shown.length === 0 ? "" : `\n${renderTable(shown, [nameColumn, countColumn], options)}\n`;
  return `${renderDetails(details, options)}${table}${lines.map((line) => `${cleanLine(line)}\n`).join("")}`;
}
