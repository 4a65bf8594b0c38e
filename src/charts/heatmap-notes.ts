/** States in words which events a heatmap does not include, and why. */
import { ALL_SOURCES, type Heatmap } from "../contract/heatmaps.ts";
import { EVENTS } from "../shared/event-names.ts";
import { describePaths } from "./heatmap-paths.ts";
import { describePlanes } from "./plane-notes.ts";

/** Shown instead of a heatmap without rooms. */
export const NO_POSITIONS = "No positions match.";

/** The parameters of the request. */
export interface HeatmapSelection {
  readonly event: string | undefined;
  readonly source: string | undefined;
}

/** The filters in words, such as `build 0.9.0, environment production`; empty without any. */
export function describeFilters({
  build,
  env,
  event,
  source,
  player,
}: HeatmapSelection & {
  readonly build: string | undefined;
  readonly env: string | undefined;
  readonly player?: string | undefined;
}): string {
  const filters = {
    build,
    environment: env,
    event,
    source: source === ALL_SOURCES ? undefined : source,
    player,
  };
  const set = Object.entries(filters).filter(([, value]) => value !== undefined);
  return set.map(([name, value]) => `${name} ${value}`).join(", ");
}

/** Sentences about what the heatmap does not include; empty if it includes everything. */
export function describeOmitted(heatmap: Heatmap, selection: HeatmapSelection): string[] {
  const { applied, omitted, eventCount, rooms } = heatmap;
  if (selection.source !== undefined && applied?.source !== selection.source)
    return [`This service draws only ${EVENTS.position} events of unity-telemetry sessions.`];
  const cropped = [
    ...describePlanes(heatmap),
    ...describePaths(heatmap.paths),
    ...describeOutside(rooms.reduce((total, room) => total + (room.outside ?? 0), 0)),
  ];
  if (omitted === undefined) return cropped;
  const event = selection.event ?? EVENTS.position;
  const { otherSources, withoutPosition, otherEvents = {} } = omitted;
  const sentences = cropped;
  const elsewhere = sum(otherSources);
  if (elsewhere > 0) {
    sentences.push(
      `${number(elsewhere)} ${event} ${elsewhere === 1 ? "position" : "positions"} from other sources: ${list(otherSources)}.`,
    );
  }
  if (withoutPosition == null) {
    sentences.push(`The number of ${event} events without a position is unknown.`);
  } else if (withoutPosition > 0) {
    const have = withoutPosition === 1 ? "event has" : "events have";
    sentences.push(`${number(withoutPosition)} ${event} ${have} no x, y and room, and cannot be drawn.`);
  }
  if (eventCount > 0 || rooms.length > 0) return sentences;
  if (sentences.length === 0) sentences.push(`There are no ${event} events.`);
  if (sum(otherEvents) > 0) sentences.push(`Events with positions: ${list(otherEvents)}.`);
  return sentences;
}

/** Says how many positions a picture leaves out, because they would squeeze all others. */
export const describeOutside = (outside: number): string[] =>
  outside === 0
    ? []
    : [`${number(outside)} outlying ${outside === 1 ? "position is" : "positions are"} outside the picture.`];

/** The notes of both builds of a difference: once if they are the same, otherwise after the name of the build. */
export function mergeNotes(a: BuildNotes, b: BuildNotes): string[] {
  if (a.notes.join() === b.notes.join()) return [...b.notes];
  return [a, b].flatMap(({ build, notes }) => notes.map((note) => `${build}: ${note}`));
}

interface BuildNotes {
  readonly build: string;
  readonly notes: readonly string[];
}

const number = (value: number) => value.toLocaleString("en-US");
const sum = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** The names and counts, most frequent first. */
function list(counts: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return sorted.map(([name, count]) => `${name} (${number(count)})`).join(", ");
}
