/** Reads the playtest keys whose tester has no session. */
import { sql } from "kysely";
import type { PageRange } from "../db/list-queries.ts";
import { countRows } from "../db/rows.ts";
import type { Db, PlaytestKeyRow, TesterInviteRow } from "../db/schema.ts";

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
interface NeverPlayedFilter {
  readonly gameId: string;
  readonly batchId?: string | undefined;
}

/** The keys that are linked to a handle whose sessions are found by one of their columns. */
const selectPlayedKeys = (db: Db, gameId: string, column: "device_id" | "tester_handle") =>
  db
    .selectFrom("tester_handles as handles")
    .select("handles.key_id")
    .where("handles.game_id", "=", gameId)
    .where("handles.key_id", "is not", null)
    .where(({ exists, selectFrom, ref }) =>
      exists(
        selectFrom("sessions")
          .select("sessions.id")
          .where("sessions.game_id", "=", gameId)
          .where(
            `sessions.${column}`,
            "=",
            ref(column === "device_id" ? "handles.device_id" : "handles.handle"),
          ),
      ),
    );

/**
 * The keys that were reserved or redeemed, or revoked after their invite was opened, and that no session belongs to: neither one
 * of a device that is linked to the handle of the key, nor one that names the handle. An erased redemption has no time, and is left
 * out.
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
        eb.and([
          eb("keys_.status", "=", "revoked"),
          eb.exists(
            eb
              .selectFrom("tester_invites")
              .select("tester_invites.id")
              .where("tester_invites.game_id", "=", gameId)
              .where("tester_invites.id", "=", eb.ref("keys_.tester_invite_id"))
              .where("tester_invites.opened_at", "is not", null),
          ),
        ]),
      ]),
    )
    .where("keys_.id", "not in", selectPlayedKeys(db, gameId, "device_id"))
    .where("keys_.id", "not in", selectPlayedKeys(db, gameId, "tester_handle"))
    .where(({ not, exists, selectFrom, ref }) =>
      not(
        exists(
          selectFrom("tester_handles")
            .innerJoin("sessions", (join) =>
              join
                .onRef("sessions.game_id", "=", "tester_handles.game_id")
                .onRef("sessions.device_id", "=", "tester_handles.device_id"),
            )
            .select("sessions.id")
            .where("tester_handles.game_id", "=", gameId)
            .where("tester_handles.handle", "=", ref("keys_.redeemed_by_handle")),
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
  { limit, offset }: PageRange,
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
      "keys_.redeemed_by_handle",
    ])
    .orderBy(sql`coalesce(keys_.redeemed_at, invites.sent_at, 0)`, "desc")
    .orderBy("keys_.id")
    .limit(limit)
    .offset(offset)
    .execute();
  const handles = await findHandlesOfKeys(db, filter.gameId, rows);
  return rows.map(({ redeemed_by_handle, ...row }) => {
    const ofKey = handles.filter(({ key_id, handle }) => key_id === row.id || handle === redeemed_by_handle);
    const linked = ofKey.find(({ device_id }) => device_id !== null) ?? ofKey[0];
    const handle = redeemed_by_handle ?? linked?.handle ?? null;
    return { ...row, email: row.email ?? null, handle, device_id: linked?.device_id ?? null };
  });
}

/** The handles that are linked to keys or that redeemed them. */
async function findHandlesOfKeys(
  db: Db,
  gameId: string,
  keys: readonly Pick<PlaytestKeyRow, "id" | "redeemed_by_handle">[],
) {
  if (keys.length === 0) return [];
  const names = keys.flatMap(({ redeemed_by_handle }) => redeemed_by_handle ?? []);
  return await db
    .selectFrom("tester_handles")
    .select(["key_id", "handle", "device_id"])
    .where("game_id", "=", gameId)
    .where((eb) => {
      const byKey = eb(
        "key_id",
        "in",
        keys.map(({ id }) => id),
      );
      return names.length === 0 ? byKey : eb.or([byKey, eb("handle", "in", names)]);
    })
    .orderBy("id")
    .execute();
}

export async function countNeverPlayed(db: Db, filter: NeverPlayedFilter): Promise<number> {
  return await countRows(selectKeys(db, filter));
}
