/** Draws the timeline of a session as SVG: rooms as bands, findings and events as marks. */

import type { RoomVisit, SessionTimeline, TimelineRow } from "../../charts/session-timeline.ts";
import { formatCount } from "../../shared/words.ts";
import { formatOffset } from "../tables/event-text.ts";
import { cleanLine } from "../text.ts";
import { estimateWidth, filled, getMoodInk, stroked, svgText, truncateToWidth } from "./chart-theme.ts";
import { type Child, el, fragment, type Markup, svgImage } from "./element.ts";

/** Sizes in pixels. */
const WIDTH = 1100;
const GUTTER = 260;
const ROW = 24;
const SIZE = 12;
const HEADING = 30;
const MARK = 12;
const MAX_TICKS = 8;
/** Steps of the time axis, in seconds. Longer sessions have multiples of the last one. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];
/** The maximum number of rooms in the description. */
const MAX_DESCRIBED = 8;

type Scale = (ms: number) => number;

/** The timeline as an SVG element for a page whose style sheet has `chartStyle`. */
export function timelineSvg(timeline: SessionTimeline): Markup {
  const { from, to, rooms, findings, events } = timeline;
  const scale: Scale = (ms) => GUTTER + ((ms - from) / Math.max(1, to - from)) * (WIDTH - GUTTER - 8);
  const parts: Child[] = [];
  let y = 0;
  const addSection = (title: string, rows: readonly Markup[]) => {
    if (rows.length === 0) return;
    y += HEADING;
    parts.push(svgText(title, 0, y - 8, { size: SIZE + 1, bold: true }));
    for (const row of rows) {
      parts.push(el("g", { transform: `translate(0 ${y})` }, row));
      y += ROW;
    }
  };
  addSection("Rooms", rooms.length === 0 ? [] : [roomRow(rooms, scale)]);
  addSection(
    "Findings",
    findings.map((row) => markRow(row, scale, true)),
  );
  addSection(
    "Events",
    events.map((row) => markRow(row, scale, false)),
  );
  const height = y + ROW + 4;
  return svgImage(
    { class: "timeline", width: WIDTH, height, label: describeTimeline(timeline) },
    axis(timeline, scale, y),
    parts,
  );
}

function roomRow(rooms: readonly RoomVisit[], scale: Scale): Markup {
  return fragment(
    rooms.map(({ room, from, to }, at) => {
      const [x, width] = [scale(from), Math.max(1, scale(to) - scale(from))];
      // Neighbors differ in shade, and an edge separates them.
      const shade = { ...filled("neutral"), "fill-opacity": at % 2 === 0 ? 0.22 : 0.4 };
      const title = `${room}: ${formatOffset(from)} to ${formatOffset(to)}`;
      const label = truncateToWidth(cleanLine(room), width - 8, SIZE);
      return fragment(
        el("rect", { x, y: 1, width, height: ROW - 4, ...shade }, el("title", title)),
        width > 40 && svgText(label, x + 4, ROW / 2 + 3, { size: SIZE }),
      );
    }),
  );
}

/** A row of marks. Marks at the same pixel are one. */
function markRow({ label, mood, at }: TimelineRow, scale: Scale, connected: boolean): Markup {
  const middle = ROW / 2;
  const spots = [...new Set(at.map((ms) => Math.round(scale(ms) * 2) / 2))];
  const [first = 0, last = 0] = [spots[0], spots.at(-1)];
  const path = spots.map((x) => `M${x} ${middle - MARK / 2}v${MARK}`).join("");
  const [start = 0, end = 0] = [at[0], at.at(-1)];
  const when = start === end ? `at ${formatOffset(start)}` : `${formatOffset(start)} to ${formatOffset(end)}`;
  const shown = connected ? label : `${label} (${at.length})`;
  return el(
    "g",
    el("title", `${label}: ${formatCount(at.length, "event")}, ${when}`),
    svgText(truncateToWidth(cleanLine(shown), GUTTER - 12, SIZE), 0, middle + SIZE / 3, { size: SIZE }),
    connected && el("path", { d: `M${first} ${middle}H${last}`, ...stroked(getMoodInk(mood), 1.5) }),
    el("path", { d: path, ...stroked(getMoodInk(mood), connected ? 3 : 1.5) }),
  );
}

function axis({ from, to }: SessionTimeline, scale: Scale, height: number): Markup {
  const step = pickStep(to - from);
  const ticks: Child[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    const x = scale(at);
    const label = formatOffset(at).replace(/\.0$/, "");
    const isCut = x + estimateWidth(label, SIZE) / 2 > WIDTH;
    ticks.push(
      el("line", { x1: x, x2: x, y1: HEADING, y2: height, ...stroked("grid") }),
      svgText(label, isCut ? WIDTH : x, height + SIZE + 4, {
        size: SIZE,
        ink: "muted",
        anchor: isCut ? "end" : "middle",
      }),
    );
  }
  return fragment(ticks);
}

function pickStep(span: number): number {
  const seconds = span / 1000 / MAX_TICKS;
  const longest = STEPS.at(-1) ?? 1;
  return (STEPS.find((step) => step >= seconds) ?? Math.ceil(seconds / longest) * longest) * 1000;
}

function describeTimeline({ from, to, rooms, findings, events }: SessionTimeline): string {
  const total = events.reduce((sum, { at }) => sum + at.length, 0);
  const names = [...new Set(rooms.map(({ room }) => room))];
  const more = names.length > MAX_DESCRIBED ? ` and ${names.length - MAX_DESCRIBED} more` : "";
  return [
    `Timeline from ${formatOffset(from)} to ${formatOffset(to)} with ${formatCount(total, "event")}.`,
    ...(names.length === 0 ? [] : [`Rooms in order: ${names.slice(0, MAX_DESCRIBED).join(", ")}${more}.`]),
    ...findings.map(({ label, at }) => `${label}: at ${formatOffset(at[0] ?? 0)}.`),
  ].join(" ");
}
