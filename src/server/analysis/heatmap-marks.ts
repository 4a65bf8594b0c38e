/** Points over a heatmap: where players failed, and where their sessions ended. */
import { countGrid } from "../../charts/grid.ts";
import type { HeatmapMarks, HeatmapRoom, MarkKind } from "../../contract/heatmaps.ts";
import type { Db, GameRow } from "../db/schema.ts";
import type { PositionsService } from "../positions/heatmap-cache.ts";
import { countEvents, type PositionFilter, readRoomPositions } from "../positions/queries.ts";
import { findEventConfig } from "../telemetry/event-config-queries.ts";
import { readLastPositions } from "../telemetry/last-positions.ts";
import { resolveMeanings } from "./meanings.ts";

/** Maximum number of event names that are read. The default is 4; a game may configure more. */
const MAX_NAMES = 10;

interface MarkSource {
  readonly db: Db;
  readonly game: GameRow;
  readonly service: PositionsService;
  readonly filter: Omit<PositionFilter, "event">;
}

type MarkPoint = HeatmapMarks["rooms"][number]["points"][number];

/** The marks of the requested kinds in these rooms. */
export async function readMarks(
  source: MarkSource,
  kinds: readonly MarkKind[],
  rooms: ReadonlySet<string>,
): Promise<HeatmapMarks[]> {
  const marks: HeatmapMarks[] = [];
  for (const kind of kinds) {
    marks.push(kind === "deaths" ? await readDeaths(source, rooms) : await readQuits(source, rooms));
  }
  return marks;
}

/** Where the events happened that the analysis counts as failures, by cells of a grid over their extent. */
async function readDeaths(
  { db, game, service, filter }: MarkSource,
  rooms: ReadonlySet<string>,
): Promise<HeatmapMarks> {
  const { failure } = resolveMeanings(await findEventConfig(db, game.id));
  const events = [...failure].sort().slice(0, MAX_NAMES);
  const points = new Map<string, MarkPoint[]>();
  const occurring: string[] = [];
  let [total, counted] = [0, 0];
  for (const event of events) {
    const eventFilter = { ...filter, event };
    const positions = await readRoomPositions(db, eventFilter);
    total += positions.reduce((sum, room) => sum + room.points, 0);
    const inTotals = (await countEvents(db, eventFilter)).counted;
    if (inTotals > 0 || positions.length > 0) occurring.push(event);
    counted += inTotals;
    for (const room of positions) {
      if (!rooms.has(room.room)) continue;
      const { text } = await service.heatmapCache.room(db, game, eventFilter, room);
      points.set(room.room, [
        ...(points.get(room.room) ?? []),
        ...listCells(JSON.parse(text) as HeatmapRoom),
      ]);
    }
  }
  const withoutPosition = Math.max(0, counted - total);
  return {
    kind: "deaths",
    events: occurring.length > 0 ? occurring : events,
    total,
    withoutPosition,
    isLimited: failure.size > MAX_NAMES,
    rooms: toRooms(points),
  };
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

async function readQuits({ db, filter }: MarkSource, rooms: ReadonlySet<string>): Promise<HeatmapMarks> {
  const { positions, withoutPosition, isLimited } = await readLastPositions(db, filter);
  const points = new Map<string, MarkPoint[]>();
  for (const { x, y, room } of positions) {
    if (rooms.has(room)) points.set(room, [...(points.get(room) ?? []), { x, y, count: 1 }]);
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
