/** The sections of a session's page. */

import { sessionTimeline } from "../../charts/session-timeline.ts";
import { type InsightWithClaims, sentimentTone } from "../../contract/insights.ts";
import type { SessionEventPage } from "../../contract/session-events.ts";
import type { FullSession } from "../../contract/sessions.ts";
import { formatCount, formatStrength } from "../../render/numbers.ts";
import { type Child, el, type Markup } from "../../render/svg/element.ts";
import { timelineSvg } from "../../render/svg/timeline.ts";
import { rankEvents, rankInsights } from "../../render/tables/session-details.ts";
import { collapsePositions, describePruned, eventColumns } from "../../render/tables/session-events.ts";
import { describeNoInsights } from "../../render/tables/sessions.ts";
import { emptyNote, noteText } from "../details.ts";
import { section } from "../elements.ts";
import { filterForm } from "../filter-form.ts";
import { gameLink, linkWith, tagLink } from "../links.ts";
import type { PageInput } from "../page.ts";
import { dataTable } from "../table.ts";

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
          `Events around “${insight?.title ?? around}”. A * marks those that it refers to. `,
          el("a", { href: `${all}#events` }, "All events"),
        ),
    dataTable(rows.slice(offset, offset + ROWS), columns, {
      caption: "Events of the session. Consecutive positions in one room are one row.",
      stacks: true,
      empty: describeNothing(events, event),
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
    el("span", next === null && isStart ? shown : `${shown} in this part`),
    hasMore && link("Next", { offset: offset + ROWS }, "next"),
    !hasMore && next !== null && link("Next part", { cursor: next, offset: undefined }, "next"),
  );
}

interface SessionView {
  readonly game: string;
  readonly session: FullSession;
  readonly insights: readonly InsightWithClaims[];
  readonly events: SessionEventPage;
  readonly page: Pick<PageInput, "path" | "search">;
}

export function insightSection({ game, session, insights, page }: SessionView): Markup {
  if (insights.length === 0) return section("insights", "Insights", emptyNote(describeNoInsights(session)));
  return section(
    "insights",
    "Insights",
    rankInsights(insights).map(({ id, type, sentiment, title, evidence, confidence, tag }) => {
      const style = sentimentTone(sentiment);
      const around = linkWith(page, { around: id, event: undefined, cursor: undefined, offset: undefined });
      return el(
        "article",
        { class: "finding" },
        el("h3", el("a", { href: gameLink(game, ["insights", id]) }, title ?? type)),
        noteText(
          el(
            "span",
            { class: style === "muted" ? null : style },
            `${type.replaceAll("-", " ")} (${sentiment})`,
          ),
          ` · strength ${formatStrength(confidence)}`,
          tag && [" · ", el("a", { href: tagLink(game, tag) }, el("code", tag))],
        ),
        el("p", evidence),
        type === "session-summary"
          ? null
          : el("p", { class: "note screen" }, el("a", { href: `${around}#events` }, "Events around it")),
      );
    }),
  );
}

/** The timeline of the events of the page; null without events, because their section says why. */
export function timelineSection({ events, insights, page }: SessionView): Markup | null {
  const timeline = sessionTimeline(events.items, rankInsights(insights));
  if (!timeline) return null;
  const { search } = page;
  const isPart = events.next !== null || ["cursor", "event", "around"].some((name) => search.has(name));
  const notes = [
    "A band begins with the first event that names the room, and ends with the first that names another room.",
    ...(isPart
      ? [
          `Only the ${formatCount(events.items.length, "event")} that were read for the table below are shown.`,
        ]
      : []),
    ...(timeline.withoutEvents > 0
      ? [
          `${formatCount(timeline.withoutEvents, "insight")} ${timeline.withoutEvents === 1 ? "refers" : "refer"} to none of these events.`,
        ]
      : []),
  ];
  return section(
    "timeline",
    "Timeline",
    el(
      "div",
      { class: "table", tabindex: 0, role: "region", "aria-label": "Timeline of the events" },
      timelineSvg(timeline),
    ),
    noteText(notes.join(" ")),
  );
}
