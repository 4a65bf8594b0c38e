/** Reads the playtest keys whose tester has no session. */
import { type ExpressionBuilder, sql } from "kysely";
import type { Db, PlaytestKeyRow, Schema, TesterInviteRow } from "../db/schema.ts";

/** A key without a session, with its batch, its invite and the handle that is linked to it. */
export type NeverPlayedRow = Pick<PlaytestKeyRow, "id" | "status" | "redeemed_at" | "tester_invite_id"> & {
  readonly batch_id: string;
  readonly batch_name: string;
  readonly expires_at: number | null;
  readonly email: string | null;
  readonly handle: string | null;
  /** The device that the handle is linked to. */
  readonly device_id: string | null;
} & { readonly [Column in "sent_at" | "opened_at"]: TesterInviteRow[Column] };

/** Selects keys of a game; `batchId` undefined for all batches. */
export interface NeverPlayedFilter {
  readonly gameId: string;
  readonly batchId?: string | undefined;
}

/** The handles of a key: those that are linked to it, and the handle that redeemed it. */
function isHandleOfKey(
  eb: ExpressionBuilder<Schema & { keys_: PlaytestKeyRow }, "tester_handles" | "keys_">,
) {
  return eb.or([
    eb("tester_handles.key_id", "=", eb.ref("keys_.id")),
    eb("tester_handles.handle", "=", eb.ref("keys_.redeemed_by_handle")),
  ]);
}

/**
 * The keys that were reserved or redeemed, and that no session belongs to: neither one of a device that is linked to the
 * handle of the key, nor one that names the handle. An erased redemption has no time, and is left out.
 */
function selectKeys(db: Db, { gameId, batchId }: NeverPlayedFilter) {
  return db
    .selectFrom("playtest_keys as keys_")
    .where("keys_.game_id", "=", gameId)
    .$if(batchId !== undefined, (query) => query.where("keys_.batch_id", "=", batchId ?? ""))
    .where((eb) =>
      eb.or([
        eb("keys_.status", "=", "reserved"),
        eb.and([eb("keys_.status", "=", "redeemed"), eb("keys_.redeemed_at", "is not", null)]),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("tester_handles")
            .innerJoin("sessions", (join) =>
              join
                .onRef("sessions.game_id", "=", "tester_handles.game_id")
                .on((eb) =>
                  eb.or([
                    eb("sessions.device_id", "=", eb.ref("tester_handles.device_id")),
                    eb("sessions.tester_handle", "=", eb.ref("tester_handles.handle")),
                  ]),
                ),
            )
            .select("sessions.id")
            .where("tester_handles.game_id", "=", gameId)
            .where(isHandleOfKey),
        ),
      ),
    )
    .where(({ not, exists, selectFrom, ref }) =>
      not(
        exists(
          selectFrom("sessions")
            .select("sessions.id")
            .where("sessions.game_id", "=", gameId)
            .where("sessions.tester_handle", "=", ref("keys_.redeemed_by_handle")),
        ),
      ),
    );
}

/** One page of keys without a session, the most recently redeemed or sent first. */
export async function findNeverPlayed(
  db: Db,
  filter: NeverPlayedFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<NeverPlayedRow[]> {
  const rows = await selectKeys(db, filter)
    .innerJoin("playtest_batches as batches", (join) =>
      join.onRef("batches.game_id", "=", "keys_.game_id").onRef("batches.id", "=", "keys_.batch_id"),
    )
    .leftJoin("tester_invites as invites", (join) =>
      join.onRef("invites.game_id", "=", "keys_.game_id").onRef("invites.id", "=", "keys_.tester_invite_id"),
    )
    .select((eb) => [
      ...(["keys_.id", "keys_.status", "keys_.redeemed_at", "keys_.tester_invite_id"] as const),
      ...(["keys_.batch_id", "batches.name as batch_name", "batches.expires_at"] as const),
      ...(["invites.sent_at", "invites.opened_at"] as const),
      eb.fn.coalesce("keys_.redeemed_by_email", "invites.email").as("email"),
      eb.fn.coalesce("keys_.redeemed_by_handle", selectHandle("handle")).as("handle"),
      selectHandle("device_id").as("device_id"),
    ])
    .orderBy(sql`coalesce(keys_.redeemed_at, invites.sent_at, 0)`, "desc")
    .orderBy("keys_.id")
    .limit(limit)
    .offset(offset)
    .execute();
  return rows as NeverPlayedRow[];
}

/** A column of the handle of a key, preferring a handle that is linked to a device. */
const selectHandle = (column: "handle" | "device_id") =>
  sql<string | null>`(select ${sql.ref(`linked.${column}`)} from tester_handles as linked
    where linked.game_id = keys_.game_id
      and (linked.key_id = keys_.id or linked.handle = keys_.redeemed_by_handle)
    order by case when linked.device_id is null then 1 else 0 end, linked.id limit 1)`;

export async function countNeverPlayed(db: Db, filter: NeverPlayedFilter): Promise<number> {
  const { total } = await selectKeys(db, filter)
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(total);
}
