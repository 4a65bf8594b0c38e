/** Reads heatmaps: grids of the rooms with the most positions, or of one room. */
import type { Input } from "../../contract/define.ts";
import {
  ALL_SOURCES,
  GRID,
  type getHeatmap,
  type Heatmap,
  type HeatmapOmissions,
  type HeatmapRoom,
  MAX_OTHER_EVENTS,
  MAX_REQUESTED_ROOMS,
} from "../../contract/heatmaps.ts";
import { EVENTS } from "../../shared/event-names.ts";
import { SOURCES } from "../../shared/session-sources.ts";
import type { Call } from "../accounts/handler.ts";
import { jsonList } from "../core/responses.ts";
import { skipDamaged } from "../core/stored-data.ts";
import type { Db } from "../db/schema.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import type { CroppedBounds } from "./heatmap.ts";
import type { PositionsService } from "./heatmap-cache.ts";
import {
  countByEvent,
  countBySource,
  countEvents,
  findRoomSources,
  type PositionFilter,
  type RoomPositions,
  readRoomPositions,
} from "./position-queries.ts";
import { growsUpward, type Projection, resolveProjection } from "./projection.ts";
import { findRoomSettings } from "./room-settings-queries.ts";

/** How a room of a heatmap is drawn. */
export interface RoomPicture {
  readonly projection: Projection | null;
  /** The bounds of a room that leaves out outliers; null if it has all of its positions. */
  readonly cropped: CroppedBounds | null;
}

/** The heatmap of a request, as parts of its JSON, what it was read from, and its rooms with how they are drawn. */
export async function readHeatmap(
  input: Input<typeof getHeatmap>,
  { db, accountId, service }: Pick<Call<PositionsService>, "db" | "accountId" | "service">,
) {
  const game = await requireGame(db, accountId, input.game);
  const source = input.source ?? SOURCES.unity;
  const filter: PositionFilter = {
    gameId: game.id,
    event: input.event ?? EVENTS.position,
    source: source === ALL_SOURCES ? undefined : source,
    build: input.build,
    env: input.env === "all" ? undefined : input.env,
    player: input.player,
  };
  const all = await readRoomPositions(db, filter);
  const shown =
    input.room === undefined
      ? all.slice(0, Math.min(input.maxRooms ?? GRID.maxRooms, MAX_REQUESTED_ROOMS))
      : all.filter(({ room }) => room === input.room);
  const rooms: string[] = [];
  const drawn = new Map<string, RoomPicture>();
  const hasPlanes = input.plane !== undefined || input.floor !== undefined;
  const projections = hasPlanes ? await resolveProjections(db, filter, shown, input) : null;
  for (const room of shown) {
    const found = projections?.get(room.room);
    if (projections !== null && found === undefined) continue;
    const projection = found?.projection ?? null;
    const drawing = { bounds: input.bounds ?? "full", projection };
    const { json, bounds } = await service.heatmapCache.room(db, game, filter, room, drawing);
    rooms.push(found === undefined ? json.text : addFields(json.text, found.shown));
    drawn.set(room.room, { projection, cropped: bounds.isCropped ? bounds : null });
  }
  const eventCount = all.reduce((sum, { points }) => sum + points, 0);
  const parts = { game: toGame(game), rooms: jsonList<Heatmap["rooms"][number]>(rooms), eventCount };
  // Without extension parameters, the response only has the fields of the API document.
  const hasOmissions = input.source !== undefined || input.event !== undefined;
  const heatmap = hasOmissions ? { ...parts, omitted: await countOmitted(db, filter, eventCount) } : parts;
  return { heatmap, game, filter, drawn };
}

type PlaneFields = Partial<Pick<HeatmapRoom, "plane" | "planeFrom" | "floors" | "yUp">>;

interface RoomProjection {
  readonly projection: Projection | null;
  /** The fields that the response has because of it. */
  readonly shown: PlaneFields;
}

/** How each room is drawn. Rooms without the floor of the request are absent. */
async function resolveProjections(
  db: Db,
  filter: PositionFilter,
  rooms: readonly RoomPositions[],
  choice: Pick<Input<typeof getHeatmap>, "plane" | "floor">,
): Promise<Map<string, RoomProjection>> {
  const settings = await findRoomSettings(db, filter.gameId);
  const sources = await findRoomSources(db, filter);
  const found = new Map<string, RoomProjection>();
  for (const room of rooms) {
    const projection = await resolveProjection(db, filter, room, settings.get(room.room), choice);
    if (projection === undefined) continue;
    const yUp = growsUpward(sources.get(room.room) ?? "", projection);
    const { plane, from: planeFrom, floors } = projection ?? {};
    const shown = projection === null ? { yUp } : { plane, planeFrom, floors, yUp };
    found.set(room.room, { projection, shown: shown as PlaneFields });
  }
  return found;
}

/** Adds fields to the JSON of an object, which has at least one. */
const addFields = (json: string, fields: object): string =>
  `${json.slice(0, -1)},${JSON.stringify(fields).slice(1)}`;

/**
 * Counts the events that match a filter but are not among its `included` positions, so that nobody takes missing positions for
 * rooms without players.
 */
async function countOmitted(db: Db, filter: PositionFilter, included: number): Promise<HeatmapOmissions> {
  const { source, player, ...anySource } = filter;
  // Without a source, every position of the event is included.
  const bySource = source === undefined ? new Map() : await countBySource(db, { ...anySource, player });
  const elsewhere = [...bySource].filter(([name]) => name !== source);
  // Events are counted for all players together.
  const counted = player === undefined ? null : await countBySource(db, anySource);
  const others = (counted === null ? elsewhere : [...counted]) as [string, number][];
  const positions = others.reduce((sum, [, count]) => sum + count, counted === null ? included : 0);
  const omitted = {
    otherSources: Object.fromEntries(elsewhere),
    withoutPosition: await countWithoutPosition(db, anySource, positions),
  };
  if (included > 0) return omitted;
  const { event, ...anyEvent } = filter;
  const byEvent = [...(await countByEvent(db, anyEvent))].filter(([name]) => name !== event);
  const mostFrequent = byEvent.sort(([, a], [, b]) => b - a).slice(0, MAX_OTHER_EVENTS);
  return { ...omitted, otherEvents: Object.fromEntries(mostFrequent) };
}

/** Null if the service may have counted some of the events without their name, or if stored counts are damaged. */
async function countWithoutPosition(
  db: Db,
  filter: PositionFilter,
  positions: number,
): Promise<number | null> {
  const counts = await skipDamaged(() => countEvents(db, filter));
  if (counts === null || counts.unnamed > 0 || counts.counted < positions) return null;
  return counts.counted - positions;
}
