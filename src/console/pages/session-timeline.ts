/** The timeline of a session. */
import { sessionTimeline } from "../../charts/session-timeline.ts";
import { formatCount } from "../../render/numbers.ts";
import { el, type Markup } from "../../render/svg/element.ts";
import { timelineSvg } from "../../render/svg/timeline.ts";
import { rankInsights } from "../../render/tables/session-details.ts";
import { section } from "../elements.ts";
import type { SessionView } from "./session-view.ts";

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
    el("p", { class: "note" }, notes.join(" ")),
  );
}
