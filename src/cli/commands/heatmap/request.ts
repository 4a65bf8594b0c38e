/** Requests the heatmap of one build or two, of all rooms or of one. */
import type { HeatmapView, RoomView } from "../../../charts/heatmap-view.ts";
import type { HeatmapOrientation } from "../../../charts/orient-heatmap.ts";
import {
  announcesRooms,
  type HeatmapLookup,
  type HeatmapRequests,
  isTruncated,
  listRoomNames,
  readHeatmap,
  readHeatmaps,
} from "../../../client/heatmap-rooms.ts";
import * as builds from "../../../contract/builds.ts";
import type { Input } from "../../../contract/define.ts";
import type { Heatmap, HeatmapRoom } from "../../../contract/heatmaps.ts";
import * as heatmaps from "../../../contract/heatmaps.ts";
import { type MarkSelection, markKinds, markSelections } from "../../../contract/heatmaps.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { suggestSimilar } from "../../../shared/similar-names.ts";
import { createTable, type Table } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";

const columns = defineColumns<HeatmapRoom>({
  room: { header: "ROOM", shrink: 1 },
  totalEvents: { header: "POSITIONS" },
  cells: { header: "CELLS", value: ({ cells }) => cells.length },
  "bounds.xMin": { header: "X MIN" },
  "bounds.xMax": { header: "X MAX" },
  "bounds.yMin": { header: "Y MIN" },
  "bounds.yMax": { header: "Y MAX" },
});

/** Shown where a service does not say whether a build has positions in a room. */
const UNKNOWN = "unknown";

const differenceColumns = defineColumns<RoomView>({
  room: { header: "ROOM", shrink: 1 },
  positionsA: { header: "POSITIONS A", value: ({ before, unknown }) => (unknown === "a" ? UNKNOWN : before) },
  positionsB: { header: "POSITIONS B", value: ({ total, unknown }) => (unknown === "b" ? UNKNOWN : total) },
  most: {
    header: "LARGEST CHANGE",
    value: ({ most, missing, unknown }) => (unknown !== null ? UNKNOWN : missing === null ? most : null),
  },
  resampled: { header: "BOUNDS", value: ({ resampled }) => (resampled ? "resampled" : "same") },
});

interface HeatmapQuery extends Omit<Input<typeof heatmaps.getHeatmap>, "game"> {
  /** The build to compare with. */
  readonly diff: string | undefined;
  /** The source of what is drawn, which a service may not offer. */
  readonly wanted: heatmaps.HeatmapSource | undefined;
}

interface HeatmapResult {
  readonly data: unknown;
  readonly rooms: readonly unknown[];
  /** Sentences about what the heatmap does not include. */
  readonly notes: readonly string[];
  readonly table: Table;
  buildView(): Promise<HeatmapView>;
}

/**
 * The heatmap of one build, or the difference of two. Throws `not_found` for a build that does not exist or a room without
 * positions, and `unsupported` if the service does not offer a parameter.
 */
export async function requestHeatmap(
  context: Context,
  { build, env, room, diff, event, source, wanted, ...drawing }: HeatmapQuery,
): Promise<HeatmapResult> {
  const { describeFilters, describeOmitted, mergeNotes, NO_POSITIONS } = await import(
    "../../../charts/heatmap-notes.ts"
  );
  const selection = { event, source: wanted };
  const client = await context.client({ ...heatmaps, ...builds });
  const game = await context.requireGame();
  const request = async (version: string | undefined, one?: string) => {
    const query = { game, build: version, env, room: one, event, source, ...drawing };
    const answer = await client.getHeatmap(query);
    // A build without positions may not exist at all, which must not look like an empty heatmap.
    if (version !== undefined && answer.eventCount === 0) await client.getBuild({ game, version });
    return answer;
  };
  const hasRooms = await announcesRooms(client);
  const buildRequests = (version: string | undefined): HeatmapRequests => ({
    all: () => request(version),
    one: hasRooms ? (name) => request(version, name) : null,
  });
  if (diff === undefined || build === undefined) {
    const { heatmap } = await requestSide(buildRequests(build), room);
    const notes = describeOmitted(heatmap, selection);
    return {
      data: heatmap,
      rooms: heatmap.rooms,
      notes,
      table: createTable(heatmap.rooms, columns, [NO_POSITIONS, ...notes].join(" ")),
      buildView: async () =>
        (await import("../../../charts/heatmap.ts")).buildDensityView(
          heatmap,
          describeFilters({ build, env, event, source, player: drawing.player }),
          notes,
        ),
    };
  }
  const [b, a] = await requestSides(buildRequests(build), buildRequests(diff), room);
  const { compareHeatmaps } = await import("../../../charts/compare-heatmaps.ts");
  const about = describeFilters({ build: undefined, env, event, source, player: drawing.player });
  const [notesA, notesB] = [a, b].map(({ heatmap }) => describeOmitted(heatmap, selection));
  const notes = mergeNotes({ build: diff, notes: notesA ?? [] }, { build, notes: notesB ?? [] });
  const { view, data } = compareHeatmaps({ build: diff, ...a }, { build, ...b }, about, notes);
  const table = createTable(view.rooms, differenceColumns, [NO_POSITIONS, ...notes].join(" "));
  return { data, rooms: view.rooms, notes, table, buildView: async () => view };
}

/** The heatmap of one build. Throws if the room has no positions, or if that is unknown. */
async function requestSide(requests: HeatmapRequests, room: string | undefined): Promise<HeatmapLookup> {
  const side = await readHeatmap(requests, room);
  if (room !== undefined && side.heatmap.rooms.length === 0) {
    if (hasOnlyOtherFloors(side)) throw missingFloor(room, side.heatmap);
    throw await missingRoom(room, [side], [requests]);
  }
  return side;
}

/** The heatmaps of two builds. Throws if neither is known to have positions in the room. */
async function requestSides(
  b: HeatmapRequests,
  a: HeatmapRequests,
  room: string | undefined,
): Promise<readonly [HeatmapLookup, HeatmapLookup]> {
  const [after, before] = await readHeatmaps(b, a, room);
  if (room !== undefined && after.heatmap.rooms.length + before.heatmap.rooms.length === 0)
    throw await missingRoom(room, [after, before], [b, a]);
  return [after, before];
}

/** Whether a room was left out because of the floor that was requested. */
const hasOnlyOtherFloors = ({ heatmap: { applied, eventCount } }: HeatmapLookup) =>
  applied?.floor !== undefined && eventCount > 0;

const missingFloor = (room: string, { applied }: Heatmap) =>
  fail("not_found", {
    message: `Room ${JSON.stringify(room)} has no floor ${applied?.floor}, or no positions`,
    hint: "Set floors with `playtest admin event-config set-room`, or omit --floor.",
  });

async function missingRoom(
  room: string,
  sides: readonly HeatmapLookup[],
  requests: readonly HeatmapRequests[],
): Promise<Error> {
  if (sides.some(({ unknown }) => unknown.has(room))) {
    return fail("incomplete", {
      message: `The positions in room ${JSON.stringify(room)} are unknown: this service returns only the ${heatmaps.GRID.maxRooms} rooms with the most positions`,
      hint: "Update the service, or narrow the heatmap with --build or --env.",
    });
  }
  const all: Heatmap[] = [];
  for (const request of requests) all.push(await request.all());
  const plural = all.some(isTruncated) ? "rooms with the most positions" : "rooms";
  const suggestion = suggestSimilar(room, [...listRoomNames(all)], plural);
  return fail("not_found", {
    message: `No positions in room ${JSON.stringify(room)}`,
    hint: suggestion ?? "No room has positions with these filters.",
  });
}

/** Throws `usage` for --diff without --build, with the same build, or with a flag that draws over one build. */
export function checkDiffFlags(
  diff: string | undefined,
  build: string | undefined,
  overlay: string | undefined,
): void {
  if (diff !== undefined && overlay !== undefined) {
    throw fail("usage", {
      message: `${overlay} cannot be used with --diff`,
      hint: "It belongs to one build. Draw each build by itself with --build.",
    });
  }
  if (diff === undefined || (build !== undefined && build !== diff)) return;
  throw fail("usage", {
    message:
      build === undefined
        ? `--diff ${JSON.stringify(diff)} requires --build, the build to compare with it`
        : `--diff and --build are both ${JSON.stringify(diff)}`,
    hint: "For example, --build 0.9.0 --diff 0.8.0 shows the changes from 0.8.0 to 0.9.0.",
  });
}

/** Parses kinds separated by commas, in any order. Throws `usage`. */
export function parseMarks(text: string | undefined): MarkSelection | undefined {
  if (text === undefined) return undefined;
  const words = text.split(",").map((word) => word.trim());
  const kinds = markKinds.filter((kind) => words.includes(kind)).join(",");
  const selection = markSelections.find((value) => value === kinds);
  if (selection !== undefined && words.every((word) => (markKinds as readonly string[]).includes(word)))
    return selection;
  throw fail("usage", {
    message: `--marks ${JSON.stringify(text)} must be ${markKinds.join(", ")} or both, separated by a comma`,
    hint: "For example, --marks deaths,quits.",
  });
}

/** Parses `<room>=<x>,<y>` of each --origin. The name of a room may contain `=`. Throws `usage`. */
export function parseOrigins(texts: readonly string[]): HeatmapOrientation["origins"] {
  return new Map(
    texts.map((text) => {
      const end = text.lastIndexOf("=");
      const [x, y, ...rest] = text
        .slice(end + 1)
        .split(",")
        .map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
      if (end < 1 || rest.length > 0 || !Number.isFinite(x) || !Number.isFinite(y)) {
        throw fail("usage", {
          message: `--origin ${JSON.stringify(text)} is not a room and a point`,
          hint: "For example, --origin furnace=120,-40 shows the point 120,-40 of the room furnace as 0,0.",
        });
      }
      return [text.slice(0, end), { x: x ?? 0, y: y ?? 0 }];
    }),
  );
}
