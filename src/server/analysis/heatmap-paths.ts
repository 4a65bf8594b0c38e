/** The paths of sessions through the rooms of a heatmap. */
import type { HeatmapPath, PathOutcome } from "../../contract/heatmaps.ts";
import { DamagedData } from "../core/stored-data.ts";
import type { Db, RoomTimeRow } from "../db/schema.ts";
import { formatPlayerRoom, NO_PLAYER } from "../positions/points.ts";
import type { PositionFilter } from "../positions/position-queries.ts";
import { projectPosition } from "../positions/projection.ts";
import type { RoomPicture } from "../positions/read-heatmap.ts";
import { streamStoredEvents } from "../telemetry/batch-queries.ts";
import { readPlayerPositions, type TimedPosition } from "../telemetry/event-names.ts";
import { findEndedSessions } from "../telemetry/session-batch-queries.ts";
import { findRoomsOfSessions } from "./room-time-queries.ts";

/** The most points of a path. A picture cannot show more. */
const MAX_POINTS = 200;

interface PathSource {
  readonly db: Db;
  readonly filter: Omit<PositionFilter, "event">;
  /** The rooms that are drawn. */
  readonly drawn: ReadonlyMap<string, RoomPicture>;
}

/** The paths of the newest ended sessions, at most `count` sessions. Sessions with damaged events have none. */
export async function readPaths({ db, filter, drawn }: PathSource, count: number): Promise<HeatmapPath[]> {
  const sessions = await findEndedSessions(db, filter, count);
  if (sessions.length === 0) return [];
  const ids = sessions.map(({ id }) => id);
  const rooms = await findRoomsOfSessions(db, filter.gameId, ids);
  const outcomes = new Map(rooms.map((row) => [`${row.session_id} ${row.room}`, toOutcome(row)]));
  const paths: HeatmapPath[] = [];
  for (const sessionId of ids) {
    const found = await readSessionPaths(db, filter, sessionId, drawn);
    for (const { room, player, points } of found)
      paths.push({
        sessionId,
        player,
        room,
        outcome: outcomes.get(`${sessionId} ${room}`) ?? "left",
        points,
      });
  }
  return paths;
}

async function readSessionPaths(
  db: Db,
  { gameId, player }: PathSource["filter"],
  sessionId: string,
  drawn: PathSource["drawn"],
): Promise<Pick<HeatmapPath, "room" | "player" | "points">[]> {
  const byRoom = new Map<string, TimedPosition[]>();
  try {
    for await (const events of streamStoredEvents(db, gameId, sessionId)) {
      for (const event of events)
        for (const placed of readPlayerPositions(event))
          if (drawn.has(placed.position.room) && (player === undefined || placed.position.player === player))
            addPosition(byRoom, placed);
    }
  } catch (error) {
    if (error instanceof DamagedData) return [];
    throw error;
  }
  return [...byRoom.values()].flatMap((placed) => {
    const first = placed[0]?.position;
    if (first === undefined) return [];
    const { projection = null } = drawn.get(first.room) ?? {};
    const points = placed
      .toSorted((a, b) => a.at - b.at)
      .flatMap(({ position }) => projectPosition(position, projection) ?? []);
    return points.length === 0
      ? []
      : [{ room: first.room, player: first.player ?? null, points: thinOut(points) }];
  });
}

function addPosition(byRoom: Map<string, TimedPosition[]>, placed: TimedPosition): void {
  const { room, player = NO_PLAYER } = placed.position;
  const key = formatPlayerRoom({ room, player });
  const known = byRoom.get(key) ?? [];
  byRoom.set(key, known);
  known.push(placed);
}

/** Points spread evenly over all of them, with the first and the last. */
function thinOut<Point>(points: readonly Point[]): Point[] {
  if (points.length <= MAX_POINTS) return [...points];
  const step = (points.length - 1) / (MAX_POINTS - 1);
  return Array.from({ length: MAX_POINTS }, (_, at) => points[Math.round(at * step)]).filter(
    (point) => point !== undefined,
  );
}

/** What a session did in a room, in one word. */
function toOutcome({
  completed,
  failed,
  quit,
}: Pick<RoomTimeRow, "completed" | "failed" | "quit">): PathOutcome {
  if (quit === 1) return "quit";
  if (completed === 1) return "completed";
  return failed === 1 ? "failed" : "left";
}
