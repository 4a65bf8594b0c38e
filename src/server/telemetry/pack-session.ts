/** Packs the batches of a session into blocks, in small steps. */
import { DamagedData } from "../core/stored-data.ts";
import type { Db, EventBatchRow, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { lockGameSession } from "../sessions/session-queries.ts";
import { createBlock, createReference, groupBatches } from "./batch-blocks.ts";
import { readRowsFrom, replaceRows } from "./batch-queries.ts";

type PackedSession = Pick<SessionRow, "game_id" | "id">;

/** How many batches are read at a time. */
const BATCHES_PER_READ = 64;

/**
 * Packs the batches of a session that are not in a block yet. Sessions with damaged batches remain as they are, because the
 * analysis reports the damage.
 */
export async function packSession(
  { store, stopping }: Pick<Service, "store" | "stopping">,
  session: PackedSession,
): Promise<void> {
  for (let next = 0; !stopping.aborted; ) {
    const rows = await readRowsFrom(store.readDb, session.game_id, session.id, next, BATCHES_PER_READ);
    const last = rows.at(-1);
    if (!last) return;
    try {
      for (const group of groupBatches(rows)) {
        const block = await createBlock(group);
        await store.write((db) => replaceBatches(db, session, group, block));
      }
    } catch (error) {
      if (error instanceof DamagedData) return;
      throw error;
    }
    if (rows.length < BATCHES_PER_READ) return;
    next = last.seq + 1;
  }
}

/** Replaces the payloads of batches by a block, unless that takes more space, or they have changed since they were read. */
async function replaceBatches(
  db: Db,
  session: PackedSession,
  group: readonly EventBatchRow[],
  block: Uint8Array,
): Promise<void> {
  const [first] = group;
  if (!first || block.length >= group.reduce((sum, { payload }) => sum + payload.length, 0)) return;
  // An erasure, pruning and other servers lock the session as well.
  const current = await lockGameSession(db, session.game_id, "id", session.id);
  if (!current || current.events_pruned_at !== null) return;
  const rows = await readRowsFrom(db, session.game_id, session.id, first.seq, group.length);
  const isSame = group.every(({ payload }, index) => {
    const stored = rows[index]?.payload;
    return stored !== undefined && Buffer.compare(stored, payload) === 0;
  });
  if (!isSame) return;
  const reference = createReference(first.seq);
  const packed = group.map((row) => ({ ...row, payload: row === first ? block : reference }));
  await replaceRows(db, session.game_id, packed);
}
