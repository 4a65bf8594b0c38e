/** Reads a heatmap or a comparison of two, with the same requests and the same JSON as the command. */
import { compareHeatmaps } from "../../charts/compare-heatmaps.ts";
import { buildDensityView } from "../../charts/heatmap.ts";
import { describeFilters, describeOmitted, mergeNotes } from "../../charts/heatmap-notes.ts";
import type { HeatmapView } from "../../charts/heatmap-view.ts";
import { ClientError } from "../../client/errors.ts";
import { type HeatmapRequests, readHeatmap, readHeatmaps } from "../../client/heatmap-rooms.ts";
import { type ListedBuild, listBuilds } from "../../contract/build-list.ts";
import { getBuild } from "../../contract/builds.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import { AUTO_PLANE, type PlaneChoice } from "../../contract/heatmap-planes.ts";
import { ALL_SOURCES, getHeatmap, type Heatmap, type MarkSelection } from "../../contract/heatmaps.ts";
import type { PageContext } from "../page.ts";

export interface HeatmapSelection {
  readonly build?: string | undefined;
  readonly env?: string | undefined;
  readonly room?: string | undefined;
  readonly event?: string | undefined;
  readonly marks?: MarkSelection | undefined;
  /** The number of sessions whose paths are drawn. */
  readonly paths?: number | undefined;
  /** The axes to draw; by default those of each room. */
  readonly plane?: PlaneChoice | undefined;
  readonly floor?: number | undefined;
  /** One player of a device. */
  readonly player?: string | undefined;
  /** The build to compare with. */
  readonly compare?: string | undefined;
}

export interface HeatmapResult {
  /** What the command prints with --json. */
  readonly data: unknown;
  readonly view: HeatmapView;
}

type Call = PageContext["call"];

/**
 * Throws `not_found` for an unknown build or environment, and for a room without positions. Builds that are known to exist are
 * not looked up.
 */
export async function readHeatmapPage(
  game: string,
  selection: HeatmapSelection,
  call: Call,
  builds: readonly ListedBuild[],
): Promise<HeatmapResult> {
  const { build, env, room, event, compare, player } = selection;
  const scope = { game, call, builds };
  const source = ALL_SOURCES;
  const requests = (version: string | undefined): HeatmapRequests => {
    const read = (one?: string) => readOne({ ...selection, build: version, room: one }, scope);
    return { all: () => read(), one: read };
  };
  const describe = (heatmap: Heatmap) => describeOmitted(heatmap, { event, source });
  if (compare === undefined || build === undefined) {
    const { heatmap } = await readHeatmap(requests(build), room);
    requirePositions(room, [heatmap]);
    const about = describeFilters({ build, env, event, source, player });
    return { data: heatmap, view: buildDensityView(heatmap, about, describe(heatmap)) };
  }
  const [b, a] = await readHeatmaps(requests(build), requests(compare), room);
  requirePositions(room, [b.heatmap, a.heatmap]);
  const notes = mergeNotes(
    { build: compare, notes: describe(a.heatmap) },
    { build, notes: describe(b.heatmap) },
  );
  const about = describeFilters({ build: undefined, env, event, source, player });
  return compareHeatmaps({ build: compare, ...a }, { build, ...b }, about, notes);
}

interface Scope {
  readonly game: string;
  readonly call: Call;
  /** Builds that exist. There may be more. */
  readonly builds: readonly ListedBuild[];
}

/** One request. If nothing matches, the build and the environment must exist. */
async function readOne(
  { plane = AUTO_PLANE, ...selection }: Omit<HeatmapSelection, "compare">,
  { game, call, builds }: Scope,
): Promise<Heatmap> {
  const { build, env } = selection;
  const drawing = { source: ALL_SOURCES, bounds: "robust", plane } as const;
  const heatmap = await call(getHeatmap, { game, ...selection, ...drawing });
  if (heatmap.eventCount > 0) return heatmap;
  if (build !== undefined && !builds.some(({ version }) => version === build))
    await call(getBuild, { game, version: build });
  // Nobody chose production, which is the default.
  if (
    env !== undefined &&
    env !== DEFAULT_ENV &&
    !builds.some(({ environments }) => environments.includes(env))
  )
    await call(listBuilds, { game, env, limit: 1 });
  return heatmap;
}

function requirePositions(room: string | undefined, heatmaps: readonly Heatmap[]): void {
  if (room === undefined || heatmaps.some(({ rooms }) => rooms.length > 0)) return;
  throw new ClientError("not_found", `No positions in room ${JSON.stringify(room)}`, { status: 404 });
}
