/** The terminal view of a session's events: a table in which consecutive positions in one room are one row. */
import type { SessionEventItem } from "../../../contract/session-events.ts";
import type { TableColumn } from "../../../render/columns.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderTable } from "../../../render/table.ts";
import { readEventRoom } from "../../../render/tables/event-text.ts";
import { EVENTS } from "../../../shared/event-names.ts";

/** Renders the view; it ends in a line feed. */
export function eventsView(
  items: readonly SessionEventItem[],
  columns: readonly TableColumn<SessionEventItem>[],
  options: RenderOptions,
): string {
  const used = columns.filter(({ key }) => key !== "cited" || items.some(({ cited }) => cited));
  // In a pipe, each event is one line, so that programs can count and search them.
  return renderTable(options.tty ? collapsePositions(items) : items, used, options);
}

/** Replaces each run of positions in one room by its first event, with the number of positions as its data. */
function collapsePositions(items: readonly SessionEventItem[]): SessionEventItem[] {
  const rows: SessionEventItem[] = [];
  for (let start = 0; start < items.length; ) {
    const first = items[start];
    if (!first) break;
    let end = start + 1;
    while (isPosition(first) && continuesRun(first, items[end])) end += 1;
    rows.push(end - start === 1 ? first : summarizeRun(first, items.slice(start, end)));
    start = end;
  }
  return rows;
}

const isPosition = ({ name, cited }: SessionEventItem) => name === EVENTS.position && !cited;

const continuesRun = (first: SessionEventItem, next: SessionEventItem | undefined) =>
  next !== undefined && isPosition(next) && readEventRoom(next.data) === readEventRoom(first.data);

function summarizeRun(first: SessionEventItem, run: readonly SessionEventItem[]): SessionEventItem {
  const room = readEventRoom(first.data);
  const last = run.at(-1)?.data;
  const to = last && "x" in last && "y" in last ? { to: `(${String(last.x)}, ${String(last.y)})` } : {};
  return { ...first, data: { ...(room === null ? {} : { room }), positions: run.length, ...to } };
}
