/** The events of a session as a table in parts. */
import type { SessionEventPage } from "../../contract/session-events.ts";
import { formatCount } from "../../render/numbers.ts";
import { type Child, el, type Markup } from "../../render/svg/element.ts";
import { rankEvents } from "../../render/tables/session-details.ts";
import { collapsePositions, describePruned, eventColumns } from "../../render/tables/session-events.ts";
import { section } from "../elements.ts";
import { filterForm } from "../filter-form.ts";
import { linkWith } from "../links.ts";
import { dataTable } from "../table.ts";
import type { SessionView } from "./session-view.ts";

/** The number of rows of one part. */
const ROWS = 100;

interface EventQuery {
  readonly event: string | undefined;
  readonly around: string | undefined;
  /** The first row, among those that were read. */
  readonly offset: number;
}

export function eventSection({ session, insights, events, page }: SessionView, query: EventQuery): Markup {
  const { event, around, offset } = query;
  const items =
    around === undefined ? events.items : events.items.toSorted((a, b) => a.offsetMs - b.offsetMs);
  const rows = collapsePositions(items);
  const names = rankEvents(session).map(([value, count]) => ({ value, text: `${value} (${count})` }));
  const columns = eventColumns.filter(({ key }) => key !== "cited" || rows.some(({ cited }) => cited));
  const insight = insights.find(({ id }) => id === around);
  const all = linkWith(page, { event: undefined, around: undefined, cursor: undefined, offset: undefined });
  return section(
    "events",
    "Events",
    around === undefined
      ? filterForm({ ...page, search: withoutCursor(page.search) }, [
          { name: "event", label: "Event", choices: names, any: "all" },
        ])
      : el(
          "p",
          {},
          `Events around “${insight?.title ?? around}”. A * marks those that it refers to. `,
          el("a", { href: `${all}#events` }, "All events"),
        ),
    dataTable(rows.slice(offset, offset + ROWS), columns, {
      caption: "Events of the session. Consecutive positions in one room are one row.",
      stacks: true,
      empty: el("p", {}, describeNothing(events, event)),
    }),
    eventPager(page, {
      offset,
      rows: rows.length,
      next: events.next ?? null,
      isStart: !page.search.has("cursor"),
    }),
    events.unreadable
      ? el(
          "p",
          { class: "missing" },
          `${formatCount(events.unreadable, "event")} could not be read, because stored data is damaged.`,
        )
      : null,
  );
}

function describeNothing({ pruned, next }: SessionEventPage, event: string | undefined): string {
  if (pruned) return describePruned(pruned, "UTC");
  if (next) return "No events of this part match. Continue with the next part.";
  return event === undefined
    ? "The session has no events."
    : `The session has no event “${event}” here. Choose another event.`;
}

/** A form begins with the first part. */
function withoutCursor(search: URLSearchParams): URLSearchParams {
  const changed = new URLSearchParams(search);
  changed.delete("cursor");
  return changed;
}

interface Parts {
  readonly offset: number;
  /** The number of rows that were read. */
  readonly rows: number;
  /** The cursor of the events that follow them. */
  readonly next: string | null;
  readonly isStart: boolean;
}

/** Links to other rows. The service can only read on, so the way back from a cursor leads to the start. */
function eventPager(page: SessionView["page"], { offset, rows, next, isStart }: Parts): Markup | null {
  const hasMore = offset + ROWS < rows;
  if (offset === 0 && isStart && !hasMore && next === null) return null;
  const link = (text: string, changes: Parameters<typeof linkWith>[1], rel?: string): Child =>
    el("a", { href: `${linkWith(page, changes)}#events`, rel }, text);
  const shown = rows === 0 ? "No rows" : `Rows ${offset + 1} to ${Math.min(rows, offset + ROWS)} of ${rows}`;
  return el(
    "nav",
    { class: "pager", "aria-label": "Parts of the events" },
    offset > 0 && link("Previous", { offset: offset > ROWS ? offset - ROWS : undefined }, "prev"),
    offset === 0 && !isStart && link("First events", { cursor: undefined }),
    el("span", {}, next === null && isStart ? shown : `${shown} in this part`),
    hasMore && link("Next", { offset: offset + ROWS }, "next"),
    !hasMore && next !== null && link("Next part", { cursor: next, offset: undefined }, "next"),
  );
}
