/** Copies the positions of a session that compaction has moved into blocks to another place, as chunks. */
import { skipDamaged } from "../core/stored-data.ts";
import type { Db, PositionSliceRow, SessionRow } from "../db/schema.ts";
import { findSessionSlices, readBlockPoints } from "./block-queries.ts";
import { insertChunks } from "./chunk-queries.ts";
import { type Points, slicePoints, toEventPoints } from "./points.ts";
import { parseParts } from "./session-positions.ts";

/** Copies the positions. Damaged ones are left out, because nothing can read them. */
export async function copySlices(db: Db, from: SessionRow, to: SessionRow): Promise<void> {
  let [block, points]: [number | null, Points | null] = [null, null];
  for (const slice of await findSessionSlices(db, from.game_id, from.id)) {
    if (block !== slice.block) {
      block = slice.block;
      points = await skipDamaged(() => readBlockPoints(db, from.game_id, slice.block));
    }
    const found = points;
    if (found !== null) await skipDamaged(() => copySlice(db, to, slice, found));
  }
}

async function copySlice(
  db: Db,
  to: SessionRow,
  { event, room, player, start, parts }: PositionSliceRow,
  block: Points,
): Promise<void> {
  let next = start;
  for (const [seq, points] of parseParts(parts)) {
    const { xy, z: zs } = slicePoints(block, next, points);
    const columns = { xs: xy.subarray(0, points), ys: xy.subarray(points), zs };
    await insertChunks(db, { ...to, next_batch: seq }, [toEventPoints(event, { room, player }, columns)]);
    next += points;
  }
}
