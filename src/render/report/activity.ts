/** The sections about heatmaps and events of both builds. */
import type { EventChange } from "../../charts/event-changes.ts";
import type { HeatmapView } from "../../charts/heatmap-view.ts";
import type { ReportData } from "../../charts/report.ts";
import { describeNotes, describeScale } from "../heatmap/heatmap.ts";
import { describeRoom } from "../heatmap/room.ts";
import { formatNumber } from "../numbers.ts";
import {
  blocksOrMissing,
  type ReportBlock,
  type ReportCell,
  type ReportSection,
  textCell,
  versionTitle,
} from "./blocks.ts";

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

function describeColors(view: HeatmapView): string {
  const { sides, rooms } = view;
  const isCompared = sides !== null && rooms.some(({ single }) => single === null);
  const colors = isCompared
    ? ` Orange: larger share in ${sides.b}. Blue: larger share in ${sides.a}. Gray: same share.`
    : "";
  return `${describeScale(view)}${colors}`;
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
