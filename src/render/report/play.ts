/** How both builds were played: where players were, for how long, and which events came and went. */
import type { Stats } from "../../contract/stats.ts";
import type { EventChange } from "../../pictures/event-changes.ts";
import type { ReportData } from "../../pictures/report.ts";
import { reading } from "../heatmap/picture.ts";
import { summary } from "../heatmap/room.ts";
import { formatNumber, formatTenths } from "../numbers.ts";
import { formatDuration } from "../time.ts";
import { type Block, type Cell, plain, type Section, versionTitle } from "./blocks.ts";
import { orMissing } from "./missing.ts";

const FOR_PEOPLE = { tty: true };
const number = (value: number) => formatNumber(value, FOR_PEOPLE);

export function roomsSection({ heatmap }: ReportData): Section {
  const blocks = orMissing(heatmap, "The heatmaps", (picture): Block[] => {
    if (picture.rooms.length === 0) {
      const text = "Neither build has positions: they come from player_pos events of Unity sessions.";
      return [{ kind: "text", text }];
    }
    const { sides } = picture;
    const colours = sides && `Orange: more in ${sides.b}. Blue: more in ${sides.a}. Grey: as many.`;
    return [
      { kind: "note", text: reading(picture) },
      {
        kind: "rooms",
        colours: colours ?? "",
        rooms: picture.rooms.map((room) => ({ room, picture, told: summary(room, picture, FOR_PEOPLE) })),
      },
    ];
  });
  return { id: "rooms", title: "Where players went", blocks };
}

interface Figure {
  readonly label: string;
  of(stats: Stats): number;
  tell(value: number): string;
}

const figures: readonly Figure[] = [
  { label: "Active share of play", of: ({ engagementRate }) => engagementRate, tell: formatTenths },
  { label: "Median active time", of: ({ medianActiveSec }) => medianActiveSec, tell: formatDuration },
  { label: "Mean active time", of: ({ avgActiveSec }) => avgActiveSec, tell: formatDuration },
  { label: "Median session", of: ({ medianWallSec }) => medianWallSec, tell: formatDuration },
  { label: "Mean session", of: ({ avgWallSec }) => avgWallSec, tell: formatDuration },
  { label: "Play in all", of: ({ totalWallSec }) => totalWallSec, tell: formatDuration },
];

export function playSection({ builds, verdict }: ReportData): Section {
  const blocks = orMissing(builds, "The play time", ({ a, b }): Block[] => {
    const counted = (label: string, x: number, y: number) => [
      plain(label),
      plain(number(x)),
      plain(number(y)),
      plain(""),
    ];
    const timed = figures.map(({ label, of, tell }): Cell[] => {
      const [x, y] = [of(a.stats), of(b.stats)];
      const change = label === "Play in all" || x === 0 ? "" : changeOf(y / x - 1);
      return [plain(label), plain(tell(x)), plain(tell(y)), plain(change)];
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

function changeOf(share: number): string {
  const percent = Math.round(share * 100);
  return percent === 0 ? "same" : `${percent > 0 ? "+" : ""}${percent} %`;
}

const kinds = {
  appeared: "Appeared",
  vanished: "Vanished",
  changed: "Changed most, of what is in both",
} as const;

export function eventsSection({ events, verdict }: ReportData): Section {
  const blocks = orMissing(events, "The events", (changes): Block[] => {
    if (changes.length === 0) return [{ kind: "text", text: "No event appeared, vanished or changed much." }];
    const groups = (["appeared", "vanished", "changed"] as const).map((kind) => ({
      title: kinds[kind],
      mood: "neutral" as const,
      rows: changes.filter((change) => change.kind === kind).map(rowOf),
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

function rowOf({ name, countA, countB, eachA, eachB }: EventChange): Cell[] {
  const each = (value: number | null) => (value === null ? "-" : value.toFixed(value < 10 ? 2 : 1));
  return [
    plain(name, { code: true }),
    plain(number(countA)),
    plain(number(countB)),
    plain(`${each(eachA)} → ${each(eachB)}`),
  ];
}
