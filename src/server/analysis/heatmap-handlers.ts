/** Heatmaps with marks. They are here because the analysis decides which events are failures. */

import { countGrid } from "../../charts/grid.ts";
import {
  type getHeatmap,
  type Heatmap,
  type HeatmapMarks,
  type HeatmapRoom,
  listMarkKinds,
  MAX_PATHS,
  type MarkKind,
} from "../../contract/heatmaps.ts";
import type { Handler } from "../accounts/handler.ts";
import { jsonObject } from "../core/responses.ts";
import type { Db, GameRow } from "../db/schema.ts";
import { countRoom, type PositionsService } from "../positions/heatmap-cache.ts";
import {
  countBySource,
  countEvents,
  type PositionFilter,
  type RoomPositions,
  readRoomPositions,
} from "../positions/position-queries.ts";
import { projectPosition } from "../positions/projection.ts";
import { type RoomPicture, readHeatmap } from "../positions/read-heatmap.ts";
import { findEventConfig } from "../telemetry/event-config-queries.ts";
import { readLastPositions } from "../telemetry/last-positions.ts";
import { readPaths } from "./heatmap-paths.ts";
import { resolveMeanings } from "./meanings.ts";

export const handleGetHeatmap: Handler<typeof getHeatmap, PositionsService> = async (input, call) => {
  const { heatmap, game, filter, drawn } = await readHeatmap(input, call);
  if (input.marks === undefined && input.paths === undefined) return jsonObject<Heatmap>(heatmap);
  const { event: _event, ...anyEvent } = filter;
  const { db, service } = call;
  const source = { db, game, service, drawn, filter: anyEvent };
  const marks = input.marks && (await readMarks(source, listMarkKinds(input.marks)));
  const paths = input.paths && (await readPaths(source, Math.min(input.paths, MAX_PATHS)));
  return jsonObject<Heatmap>({ ...heatmap, ...(marks ? { marks } : {}), ...(paths ? { paths } : {}) });
};

/** Maximum number of event names that are read. The default is 4; a game may configure more. */
const MAX_NAMES = 10;

interface MarkSource {
  readonly db: Db;
  readonly game: GameRow;
  readonly service: PositionsService;
  readonly filter: Omit<PositionFilter, "event">;
  /** The rooms that are drawn. */
  readonly drawn: ReadonlyMap<string, RoomPicture>;
}

type MarkPoint = HeatmapMarks["rooms"][number]["points"][number];

/** The marks of the requested kinds in the rooms that are drawn. */
async function readMarks(source: MarkSource, kinds: readonly MarkKind[]): Promise<HeatmapMarks[]> {
  const marks: HeatmapMarks[] = [];
  for (const kind of kinds) {
    marks.push(kind === "deaths" ? await readDeaths(source) : await readQuits(source));
  }
  return marks;
}

/**
 * Where the events happened that the analysis counts as failures, by cells of a grid over their extent. Events that report a
 * failed state count only if the game sends no failures, because the state that follows a failure is the same failure.
 */
async function readDeaths(source: MarkSource): Promise<HeatmapMarks> {
  const { failure, failureState } = resolveMeanings(await findEventConfig(source.db, source.game.id));
  const failures = await findDeaths(source, failure);
  const found = failures.length > 0 ? failures : await findDeaths(source, failureState);
  const points = new Map<string, MarkPoint[]>();
  for (const { event, positions } of found) {
    for (const room of positions.filter((one) => source.drawn.has(one.room))) {
      const cells = await readCells(source, event, room);
      points.set(room.room, [...(points.get(room.room) ?? []), ...cells]);
    }
  }
  const sum = (count: (deaths: EventDeaths) => number) => found.reduce((all, one) => all + count(one), 0);
  return {
    kind: "deaths",
    events: found.length > 0 ? found.map(({ event }) => event) : [...failure, ...failureState].sort(),
    total: sum(({ positions }) => positions.reduce((all, { points: count }) => all + count, 0)),
    withoutPosition: sum(({ withoutPosition }) => withoutPosition),
    isLimited: failure.size > MAX_NAMES,
    rooms: toRooms(points),
  };
}

/** The events of one name. */
interface EventDeaths {
  readonly event: string;
  readonly positions: readonly RoomPositions[];
  readonly withoutPosition: number;
}

/** The names of these that occur. Events are counted without their source and player, so those without a position are of any. */
async function findDeaths({ db, filter }: MarkSource, names: ReadonlySet<string>): Promise<EventDeaths[]> {
  const found: EventDeaths[] = [];
  for (const event of [...names].sort().slice(0, MAX_NAMES)) {
    const eventFilter = { ...filter, event };
    const positions = await readRoomPositions(db, eventFilter);
    const { counted } = await countEvents(db, eventFilter);
    if (counted === 0 && positions.length === 0) continue;
    const bySource = await countBySource(db, {
      ...eventFilter,
      ...{ source: undefined, player: undefined },
    });
    const stored = [...bySource.values()].reduce((sum, count) => sum + count, 0);
    found.push({ event, positions, withoutPosition: Math.max(0, counted - stored) });
  }
  return found;
}

async function readCells(
  { db, game, service, filter: anyEvent, drawn }: MarkSource,
  event: string,
  room: RoomPositions,
): Promise<MarkPoint[]> {
  const filter = { ...anyEvent, event };
  const { cropped = null, projection = null } = drawn.get(room.room) ?? {};
  // What is outside the picture would squeeze these, too.
  const { json } =
    cropped === null
      ? await service.heatmapCache.room(db, game, filter, room, { bounds: "full", projection })
      : await countRoom(db, filter, { ...room, ...cropped, projection }, null);
  return listCells(JSON.parse(json.text) as HeatmapRoom);
}

/** The centers of the cells with events, and the number of events in each. */
function listCells(room: HeatmapRoom): MarkPoint[] {
  const { counts, cellsX, cellsY, bounds } = countGrid(room);
  const { xMin, xMax, yMin, yMax } = bounds;
  const center = (min: number, max: number, cell: number, cells: number) => {
    const share = (cell + 0.5) / cells;
    return min * (1 - share) + max * share;
  };
  return [...counts.entries()].flatMap(([at, count]) => {
    if (count === 0) return [];
    const [x, y] = [at % cellsX, Math.floor(at / cellsX)];
    return { x: center(xMin, xMax, x, cellsX), y: center(yMin, yMax, y, cellsY), count };
  });
}

async function readQuits({ db, filter, drawn }: MarkSource): Promise<HeatmapMarks> {
  const { positions, withoutPosition, isLimited } = await readLastPositions(db, filter);
  const points = new Map<string, MarkPoint[]>();
  for (const { room, ...position } of positions) {
    const picture = drawn.get(room);
    const place = picture === undefined ? null : projectPosition(position, picture.projection);
    if (place !== null) points.set(room, [...(points.get(room) ?? []), { ...place, count: 1 }]);
  }
  return {
    kind: "quits",
    events: [],
    total: positions.length,
    withoutPosition,
    isLimited,
    rooms: toRooms(points),
  };
}

const toRooms = (points: ReadonlyMap<string, MarkPoint[]>): HeatmapMarks["rooms"] =>
  [...points].map(([room, found]) => ({ room, points: found }));
