/** Where players were when their sessions ended. */
import { skipDamaged } from "../core/stored-data.ts";
import type { Db } from "../db/schema.ts";
import { BatchPositions } from "../positions/batch-positions.ts";
import { formatPlayerRoom, NO_POINTS } from "../positions/points.ts";
import type { PositionFilter } from "../positions/position-queries.ts";
import { decodeBatch, decodeRooms } from "./batch-codec.ts";
import { readBatches } from "./batch-queries.ts";
import {
  type Position,
  readPlayerPositions,
  type TelemetryEvent,
  type TimedPosition,
} from "./event-names.ts";
import { type EndedSession, findEndedSessions } from "./session-batch-queries.ts";

/** Maximum number of sessions, the newest first: the events of each are read, so more would take too long. */
const MAX_ENDED_SESSIONS = 200;
/** How many batches are read from the end of a session. The last ones may only report that it ended. */
const MAX_BATCHES_READ = 3;
/** How many sessions are read with the same statements. */
const SESSIONS_PER_STATEMENT = 50;

/** The last positions of ended sessions. */
interface LastPositions {
  readonly positions: readonly Position[];
  /** Sessions whose last batches have no position. */
  readonly withoutPosition: number;
  /** Whether more sessions match. */
  readonly isLimited: boolean;
}

/** Reads the last position of each ended session. Sessions with damaged data count as sessions without a position. */
export async function readLastPositions(
  db: Db,
  filter: Omit<PositionFilter, "event">,
): Promise<LastPositions> {
  const found = await findEndedSessions(db, filter, MAX_ENDED_SESSIONS + 1);
  const sessions = found.slice(0, MAX_ENDED_SESSIONS);
  const positions: Position[] = [];
  for (let start = 0; start < sessions.length; start += SESSIONS_PER_STATEMENT) {
    const page = sessions.slice(start, start + SESSIONS_PER_STATEMENT);
    positions.push(...(await readPage(db, filter, page)));
  }
  return {
    positions,
    withoutPosition: sessions.length - positions.length,
    isLimited: found.length > sessions.length,
  };
}

type LastPositionFilter = Pick<PositionFilter, "gameId" | "player">;

/** The last positions of these sessions: from the last batch of each, then from the one before for those without any. */
async function readPage(
  db: Db,
  filter: LastPositionFilter,
  sessions: readonly EndedSession[],
): Promise<Position[]> {
  const found: Position[] = [];
  let rest = sessions;
  for (let back = 1; back <= MAX_BATCHES_READ && rest.length > 0; back += 1) {
    const last = await readBatchEnds(db, filter, rest, back);
    found.push(...[...last.values()].filter((position) => position !== null));
    // Sessions without this batch, or with a damaged one, are not in the map.
    rest = rest.filter(({ id, batches }) => last.get(id) === null && batches > back);
  }
  return found;
}

/** The last position in the batch that is the `back`-th from the end of each session; null if the batch has none. */
async function readBatchEnds(
  db: Db,
  { gameId, player }: LastPositionFilter,
  sessions: readonly EndedSession[],
  back: number,
): Promise<Map<string, Position | null>> {
  const keys = sessions.map(({ id, batches }) => ({ session_id: id, seq: batches - back }));
  const readable = [];
  for (const batch of await readBatches(db, gameId, keys)) {
    const rooms = await skipDamaged(() => decodeRooms(batch));
    if (rooms !== null) readable.push({ ...batch, rooms });
  }
  const points = await new BatchPositions(db, gameId).read(readable);
  const ends = new Map<string, Position | null>();
  for (const [index, batch] of readable.entries()) {
    const byRoom = points[index];
    // Without the points of a room, they are damaged.
    if (!byRoom || batch.rooms.some((room) => !byRoom.has(formatPlayerRoom(room)))) continue;
    const events = await skipDamaged(() =>
      decodeBatch(batch, (room) => byRoom.get(formatPlayerRoom(room)) ?? NO_POINTS),
    );
    if (events) ends.set(batch.session_id, findLast(events, player));
  }
  return ends;
}

/** The latest position, of one player if it is defined. */
function findLast(events: readonly TelemetryEvent[], player: string | undefined): Position | null {
  let last: TimedPosition | null = null;
  for (const event of events) {
    const found = readPlayerPositions(event).at(-1);
    if (found === undefined || (last !== null && found.at < last.at)) continue;
    if (player === undefined || found.position.player === player) last = found;
  }
  return last?.position ?? null;
}
