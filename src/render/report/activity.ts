/** The sections about heatmaps, play time and events of both builds. */

import type { EventChange } from "../../charts/event-changes.ts";
import type { HeatmapView } from "../../charts/heatmap-view.ts";
import type { ReportData } from "../../charts/report.ts";
import type { Stats } from "../../contract/result-fields.ts";
import { describeNotes, describeScale } from "../heatmap/heatmap.ts";
import { describeRoom } from "../heatmap/room.ts";
import { formatNumber, formatTenths } from "../numbers.ts";
import { formatDuration } from "../time.ts";
import { type ReportBlock, type ReportCell, type ReportSection, textCell, versionTitle } from "./blocks.ts";
import { blocksOrMissing } from "./missing.ts";

const FOR_PEOPLE = { tty: true };
const number = (value: number) => formatNumber(value, FOR_PEOPLE);

export function roomsSection({ heatmap }: ReportData): ReportSection {
  const blocks = blocksOrMissing(heatmap, "heatmaps", (view): ReportBlock[] => {
    const notes = describeNotes(view);
    if (view.rooms.length === 0) {
      return [{ kind: "text", text: ["Neither build has player positions.", notes].join(" ").trim() }];
    }
    return [
      ...(notes === "" ? [] : [{ kind: "note" as const, text: notes }]),
      {
        kind: "rooms",
        colors: describeColors(view),
        note: "Increases and decreases are of a cell’s share of the room’s positions, in percentage points (pp).",
        rooms: view.rooms.map((room) => ({
          room,
          view,
          description: describeRoom(room, view, FOR_PEOPLE),
        })),
      },
    ];
  });
  return { id: "rooms", title: "Where players went", blocks };
}

/** Explains the pictures of the rooms. */
function describeColors(view: HeatmapView): string {
  const { sides, rooms } = view;
  const isCompared = sides !== null && rooms.some(({ single }) => single === null);
  const colors = isCompared
    ? ` Orange: larger share in ${sides.b}. Blue: larger share in ${sides.a}. Gray: same share.`
    : "";
  return `${describeScale(view)}${colors}`;
}

interface PlayMetric {
  readonly label: string;
  value(stats: Stats): number;
  format(value: number): string;
}

const TOTAL_PLAY_TIME = "Total play time";

const playMetrics: readonly PlayMetric[] = [
  {
    label: "Engagement (active share of play time)",
    value: ({ engagementRate }) => engagementRate,
    format: formatTenths,
  },
  { label: "Median active time", value: ({ medianActiveSec }) => medianActiveSec, format: formatDuration },
  { label: "Mean active time", value: ({ avgActiveSec }) => avgActiveSec, format: formatDuration },
  { label: "Median session length", value: ({ medianWallSec }) => medianWallSec, format: formatDuration },
  { label: "Mean session length", value: ({ avgWallSec }) => avgWallSec, format: formatDuration },
  { label: TOTAL_PLAY_TIME, value: ({ totalWallSec }) => totalWallSec, format: formatDuration },
];

export function playSection({ builds, verdict }: ReportData): ReportSection {
  const blocks = blocksOrMissing(builds, "play time", ({ a, b }): ReportBlock[] => {
    const countRow = (label: string, x: number, y: number) => [
      textCell(label),
      textCell(number(x)),
      textCell(number(y)),
      textCell(""),
    ];
    const timed = playMetrics.map(({ label, value, format }): ReportCell[] => {
      const [x, y] = [value(a.stats), value(b.stats)];
      const change = label === TOTAL_PLAY_TIME || x === 0 ? "" : formatChange(y / x - 1);
      return [textCell(label), textCell(format(x)), textCell(format(y)), textCell(change)];
    });
    const rows = [
      ...timed,
      countRow("Sessions", a.sessionCount, b.sessionCount),
      countRow("Devices", a.uniqueDevices, b.uniqueDevices),
    ];
    return [
      {
        kind: "note",
        text: "Play time covers all environments, because the service does not report it per environment.",
      },
      {
        kind: "table",
        caption: "Play time of both builds",
        columns: [
          { title: "Metric" },
          { title: versionTitle(verdict.a.version), right: true },
          { title: versionTitle(verdict.b.version), right: true },
          { title: "Change", right: true },
        ],
        groups: [{ title: "", mood: "neutral", rows }],
      },
    ];
  });
  return { id: "play", title: "Play time", blocks };
}

function formatChange(share: number): string {
  const percent = Math.round(share * 100);
  return percent === 0 ? "no change" : `${percent > 0 ? "+" : ""}${percent}%`;
}

const changeTitles = {
  appeared: "Added",
  vanished: "Removed",
  changed: "Changed most",
} as const;

export function eventsSection({ events, verdict }: ReportData): ReportSection {
  const blocks = blocksOrMissing(events, "events", (changes): ReportBlock[] => {
    if (changes.length === 0)
      return [{ kind: "text", text: "No events were added or removed, or changed much." }];
    const groups = (["appeared", "vanished", "changed"] as const).map((kind) => ({
      title: changeTitles[kind],
      mood: "neutral" as const,
      rows: changes.filter((change) => change.kind === kind).map(toEventRow),
    }));
    return [
      {
        kind: "note",
        text: `Sessions ${verdict.environment === "all" ? "of all environments" : `in ${verdict.environment}`}: the number of events in each build, and the number per session.`,
      },
      {
        kind: "table",
        caption: "Events in both builds",
        columns: [
          { title: "Event" },
          { title: `In ${versionTitle(verdict.a.version)}`, right: true },
          { title: `In ${versionTitle(verdict.b.version)}`, right: true },
          { title: "Per session", right: true },
        ],
        groups: groups.filter(({ rows }) => rows.length > 0),
      },
    ];
  });
  return { id: "events", title: "Changes in events", blocks };
}

function toEventRow({ name, countA, countB, eachA, eachB }: EventChange): ReportCell[] {
  const formatRate = (value: number | null) => (value === null ? "-" : value.toFixed(value < 10 ? 2 : 1));
  return [
    textCell(name, { code: true }),
    textCell(number(countA)),
    textCell(number(countB)),
    textCell(`${formatRate(eachA)} → ${formatRate(eachB)}`),
  ];
}
