/** How both builds were played: where players were, for how long, and which events came and went. */

import type { EventChange } from "../../charts/event-changes.ts";
import type { ReportData } from "../../charts/report.ts";
import type { Stats } from "../../contract/stats.ts";
import { describeScale } from "../heatmap/heatmap.ts";
import { describeRoom } from "../heatmap/room.ts";
import { formatNumber, formatTenths } from "../numbers.ts";
import { formatDuration } from "../time.ts";
import { type ReportBlock, type ReportCell, type ReportSection, textCell, versionTitle } from "./blocks.ts";
import { blocksOrMissing } from "./missing.ts";

const FOR_PEOPLE = { tty: true };
const number = (value: number) => formatNumber(value, FOR_PEOPLE);

export function roomsSection({ heatmap }: ReportData): ReportSection {
  const blocks = blocksOrMissing(heatmap, "The heatmaps", (picture): ReportBlock[] => {
    if (picture.rooms.length === 0) {
      const text = "Neither build has positions: they come from player_pos events of Unity sessions.";
      return [{ kind: "text", text }];
    }
    const { sides } = picture;
    const colours = sides && `Orange: more in ${sides.b}. Blue: more in ${sides.a}. Grey: as many.`;
    return [
      { kind: "note", text: describeScale(picture) },
      {
        kind: "rooms",
        colours: colours ?? "",
        rooms: picture.rooms.map((room) => ({
          room,
          picture,
          told: describeRoom(room, picture, FOR_PEOPLE),
        })),
      },
    ];
  });
  return { id: "rooms", title: "Where players went", blocks };
}

interface PlayMetric {
  readonly label: string;
  of(stats: Stats): number;
  format(value: number): string;
}

const playMetrics: readonly PlayMetric[] = [
  { label: "Active share of play", of: ({ engagementRate }) => engagementRate, format: formatTenths },
  { label: "Median active time", of: ({ medianActiveSec }) => medianActiveSec, format: formatDuration },
  { label: "Mean active time", of: ({ avgActiveSec }) => avgActiveSec, format: formatDuration },
  { label: "Median session", of: ({ medianWallSec }) => medianWallSec, format: formatDuration },
  { label: "Mean session", of: ({ avgWallSec }) => avgWallSec, format: formatDuration },
  { label: "Play in all", of: ({ totalWallSec }) => totalWallSec, format: formatDuration },
];

export function playSection({ builds, verdict }: ReportData): ReportSection {
  const blocks = blocksOrMissing(builds, "The play time", ({ a, b }): ReportBlock[] => {
    const counted = (label: string, x: number, y: number) => [
      textCell(label),
      textCell(number(x)),
      textCell(number(y)),
      textCell(""),
    ];
    const timed = playMetrics.map(({ label, of, format: tell }): ReportCell[] => {
      const [x, y] = [of(a.stats), of(b.stats)];
      const change = label === "Play in all" || x === 0 ? "" : formatChange(y / x - 1);
      return [textCell(label), textCell(tell(x)), textCell(tell(y)), textCell(change)];
    });
    const rows = [
      ...timed,
      counted("Sessions", a.sessionCount, b.sessionCount),
      counted("Devices", a.uniqueDevices, b.uniqueDevices),
    ];
    return [
      {
        kind: "note",
        text: "Over every environment: the service tells play time by build alone.",
      },
      {
        kind: "table",
        caption: "Play time of both builds",
        columns: [
          { title: "Figure" },
          { title: versionTitle(verdict.a.version), right: true },
          { title: versionTitle(verdict.b.version), right: true },
          { title: "Change", right: true },
        ],
        groups: [{ title: "", mood: "neutral", rows }],
      },
    ];
  });
  return { id: "play", title: "How long they played", blocks };
}

function formatChange(share: number): string {
  const percent = Math.round(share * 100);
  return percent === 0 ? "same" : `${percent > 0 ? "+" : ""}${percent} %`;
}

const changeTitles = {
  appeared: "Appeared",
  vanished: "Vanished",
  changed: "Changed most, of what is in both",
} as const;

export function eventsSection({ events, verdict }: ReportData): ReportSection {
  const blocks = blocksOrMissing(events, "The events", (changes): ReportBlock[] => {
    if (changes.length === 0) return [{ kind: "text", text: "No event appeared, vanished or changed much." }];
    const groups = (["appeared", "vanished", "changed"] as const).map((kind) => ({
      title: changeTitles[kind],
      mood: "neutral" as const,
      rows: changes.filter((change) => change.kind === kind).map(toEventRow),
    }));
    return [
      { kind: "note", text: "How often each happened, and how often a session." },
      {
        kind: "table",
        caption: "Events of both builds",
        columns: [
          { title: "Event" },
          { title: `In ${versionTitle(verdict.a.version)}`, right: true },
          { title: `In ${versionTitle(verdict.b.version)}`, right: true },
          { title: "A session", right: true },
        ],
        groups: groups.filter(({ rows }) => rows.length > 0),
      },
    ];
  });
  return { id: "events", title: "Events that came and went", blocks };
}

function toEventRow({ name, countA, countB, eachA, eachB }: EventChange): ReportCell[] {
  const each = (value: number | null) => (value === null ? "-" : value.toFixed(value < 10 ? 2 : 1));
  return [
    textCell(name, { code: true }),
    textCell(number(countA)),
    textCell(number(countB)),
    textCell(`${each(eachA)} → ${each(eachB)}`),
  ];
}
