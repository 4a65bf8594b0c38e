/** Where players were when their sessions ended. */
import { EVENTS } from "../../shared/event-names.ts";
import { DamagedData } from "../core/damaged-data.ts";
import type { Db } from "../db/schema.ts";
import type { PositionFilter } from "../positions/queries.ts";
import { SessionPositions } from "../positions/session-positions.ts";
import { decodeEvents, readBatch } from "./batch-queries.ts";
import { type Position, readPosition, type TelemetryEvent } from "./events.ts";
import { type EndedSession, findEndedSessions } from "./last-position-queries.ts";

/** Maximum number of sessions, the newest first: the events of each are read, so more would take too long. */
export const MAX_ENDED_SESSIONS = 200;
/** How many batches are read from the end of a session. The last ones may only report that it ended. */
const MAX_BATCHES_READ = 3;

/** The last positions of ended sessions. */
export interface LastPositions {
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
  for (const session of sessions) {
    const last = await readLastPosition(db, filter.gameId, session);
    if (last !== null) positions.push(last);
  }
  return {
    positions,
    withoutPosition: sessions.length - positions.length,
    isLimited: found.length > sessions.length,
  };
}

async function readLastPosition(
  db: Db,
  gameId: string,
  { id, batches }: EndedSession,
): Promise<Position | null> {
  const positions = new SessionPositions(db, gameId, id);
  try {
    for (let seq = batches - 1; seq >= Math.max(0, batches - MAX_BATCHES_READ); seq -= 1) {
      const batch = await readBatch(db, gameId, id, seq);
      const last = batch && findLast(await decodeEvents(batch, seq, positions));
      if (last) return last;
    }
  } catch (error) {
    if (!(error instanceof DamagedData)) throw error;
  }
  return null;
}

/** The position of the latest `player_pos` event. */
function findLast(events: readonly TelemetryEvent[]): Position | null {
  let last: { readonly at: number; readonly position: Position } | null = null;
  for (const event of events) {
    if (event.name !== EVENTS.position || (last !== null && event.timestamp < last.at)) continue;
    const position = readPosition(event);
    if (position !== null) last = { at: event.timestamp, position };
  }
  return last?.position ?? null;
}
