/** Removes the positions of a session from chunks and blocks. */
import type { Db, PositionBlockRow, PositionSliceRow } from "../db/schema.ts";
import { BYTES_PER_POINT } from "./points.ts";

type Slice = Pick<PositionSliceRow, "session_id" | "event" | "room" | "start" | "parts">;

/**
 * Deletes all positions of a session, and returns the sessions whose positions were moved within blocks. What reads
 * their positions batch by batch must start again. The caller has locked the game, so that no compaction runs.
 */
export async function removeSessionPositions(db: Db, gameId: string, sessionId: string): Promise<string[]> {
  const blocks = await db
    .selectFrom("position_slices")
    .select("block")
    .distinct()
    .where("game_id", "=", gameId)
    .where("session_id", "=", sessionId)
    .orderBy("block")
    .execute();
  const moved = new Set<string>();
  for (const { block } of blocks)
    for (const id of await removeFromBlock(db, gameId, sessionId, block)) moved.add(id);
  for (const table of ["position_slices", "position_chunks"] as const)
    await db.deleteFrom(table).where("game_id", "=", gameId).where("session_id", "=", sessionId).execute();
  return [...moved];
}

/** Rewrites a block without the points of a session. Returns the other sessions in the block. */
async function removeFromBlock(db: Db, gameId: string, sessionId: string, id: number): Promise<string[]> {
  const block = await db
    .selectFrom("position_blocks")
    .selectAll()
    .where("game_id", "=", gameId)
    .where("id", "=", id)
    .executeTakeFirst();
  const slices = await db
    .selectFrom("position_slices")
    .select(["session_id", "event", "room", "start", "parts"])
    .where("game_id", "=", gameId)
    .where("block", "=", id)
    .orderBy("start")
    .execute();
  const kept = slices.filter(({ session_id }) => session_id !== sessionId);
  if (!block || kept.length === 0) {
    await db.deleteFrom("position_blocks").where("game_id", "=", gameId).where("id", "=", id).execute();
    return [];
  }
  await rewriteBlock(db, block, kept);
  return kept.map(({ session_id }) => session_id);
}

/** Writes the points of the slices next to each other. In ascending order, so that no two slices ever start alike. */
async function rewriteBlock(db: Db, block: PositionBlockRow, slices: readonly Slice[]): Promise<void> {
  const { game_id, id } = block;
  const xy: Uint8Array[] = [];
  let start = 0;
  for (const slice of slices) {
    const points = countPoints(slice);
    xy.push(block.xy.subarray(slice.start * BYTES_PER_POINT, (slice.start + points) * BYTES_PER_POINT));
    await db
      .updateTable("position_slices")
      .set({ start })
      .where("game_id", "=", game_id)
      .where("session_id", "=", slice.session_id)
      .where("event", "=", slice.event)
      .where("room", "=", slice.room)
      .where("block", "=", id)
      .where("start", "=", slice.start)
      .execute();
    start += points;
  }
  const bytes = new Uint8Array(Buffer.concat(xy));
  await db
    .updateTable("position_blocks")
    .set({ points: start, ...measureBounds(bytes), xy: bytes })
    .where("game_id", "=", game_id)
    .where("id", "=", id)
    .execute();
}

const countPoints = ({ parts }: Slice): number =>
  (JSON.parse(parts) as [seq: number, points: number][]).reduce((sum, [, points]) => sum + points, 0);

/** The bounds of points whose x and y are interleaved. A damaged block may lack some of its bytes. */
function measureBounds(xy: Uint8Array): Pick<PositionBlockRow, "x_min" | "x_max" | "y_min" | "y_max"> {
  const view = new DataView(xy.buffer, xy.byteOffset, xy.byteLength);
  const bounds = { x_min: Infinity, x_max: -Infinity, y_min: Infinity, y_max: -Infinity };
  for (let at = 0; at + BYTES_PER_POINT <= xy.byteLength; at += BYTES_PER_POINT) {
    const [x, y] = [view.getFloat64(at, true), view.getFloat64(at + 8, true)];
    bounds.x_min = Math.min(bounds.x_min, x);
    bounds.x_max = Math.max(bounds.x_max, x);
    bounds.y_min = Math.min(bounds.y_min, y);
    bounds.y_max = Math.max(bounds.y_max, y);
  }
  return Number.isFinite(bounds.x_min) ? bounds : { x_min: 0, x_max: 0, y_min: 0, y_max: 0 };
}
