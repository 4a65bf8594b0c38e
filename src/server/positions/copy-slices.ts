/** Copies the positions of a session that compaction has moved into blocks to another place, as chunks. */
import { skipDamaged } from "../core/stored-data.ts";
import type { Db, PositionSliceRow, SessionRow } from "../db/schema.ts";
import { findSessionSlices, readBlockPoints } from "./block-queries.ts";
import { insertChunks } from "./chunk-queries.ts";
import { slicePoints, toEventPoints } from "./points.ts";
import { parseParts } from "./session-positions.ts";

/** Copies the positions. Damaged ones are left out, because nothing can read them. */
export async function copySlices(db: Db, from: SessionRow, to: SessionRow): Promise<void> {
  let [block, points]: [number | null, Float64Array | null] = [null, null];
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
  { event, room, start, parts }: PositionSliceRow,
  block: Float64Array,
): Promise<void> {
  let next = start;
  for (const [seq, points] of parseParts(parts)) {
    const columns = slicePoints(block, next, points);
    const [xs, ys] = [columns.subarray(0, points), columns.subarray(points)];
    await insertChunks(db, { ...to, next_batch: seq }, [toEventPoints(event, room, { xs, ys })]);
    next += points;
  }
}
