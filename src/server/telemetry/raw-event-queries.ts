/** Reads the batches of a game in the order of arrival, with what events take over from their sessions. */
import type { Db } from "../db/schema.ts";

/** The place of a batch in the order of arrival. */
export interface BatchPlace {
  /** Unix ms. */
  readonly receivedAt: number;
  readonly sessionId: string;
  readonly seq: number;
}

export type ArrivedBatch = Awaited<ReturnType<typeof findArrivedBatches>>[number];

/** Finds the batches from a place on, without their events. Sessions whose events are being pruned are left out. */
export async function findArrivedBatches(
  db: Db,
  gameId: string,
  { from, to, limit }: { readonly from: BatchPlace; readonly to: number | undefined; readonly limit: number },
) {
  return await db
    .selectFrom("event_batches as b")
    .innerJoin("sessions as s", (join) =>
      join.onRef("s.game_id", "=", "b.game_id").onRef("s.id", "=", "b.session_id"),
    )
    .select(["b.received_at", "b.session_id", "b.seq"])
    .select(["s.device_id", "s.tester_handle", "s.build", "s.environment", "s.source", "s.events_pruned_at"])
    .where("b.game_id", "=", gameId)
    .where((eb) =>
      eb(
        eb.refTuple("b.received_at", "b.session_id", "b.seq"),
        ">=",
        eb.tuple(from.receivedAt, from.sessionId, from.seq),
      ),
    )
    .$if(to !== undefined, (query) => query.where("b.received_at", "<=", to ?? 0))
    .orderBy("b.received_at")
    .orderBy("b.session_id")
    .orderBy("b.seq")
    .limit(limit)
    .execute();
}
