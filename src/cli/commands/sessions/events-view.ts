/** The terminal view of a session's events: a table in which consecutive positions in one room are one row. */
import type { SessionEventItem } from "../../../contract/session-events.ts";
import type { TableColumn } from "../../../render/columns.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderTable } from "../../../render/table.ts";
import { collapsePositions } from "../../../render/tables/session-events.ts";

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
