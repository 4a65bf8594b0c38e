/** Adds events to the outboxes of webhooks, ends them, and keeps them for some time, so that they can be sent again. */
import { type ExpressionBuilder, type SqlBool, sql } from "kysely";
import { HOUR_MS } from "../../shared/time-units.ts";
import { countRows, deleteRows, insertRow, updateRows } from "../db/rows.ts";
import type { Db, GateRow, Schema, WebhookDeliveryRow, WebhookRow } from "../db/schema.ts";
import { isReachable } from "../db/sharding.ts";
import type { Store } from "../db/store.ts";
import type { DeliveryResult } from "../db/tables/state.ts";
import { KEPT_MS, MAX_AGE_MS, MAX_BACKOFF_MS, MAX_BODY_LENGTH, MAX_KEPT, MAX_PENDING } from "./limits.ts";

/** What is stored instead of a body that is too large. */
const NO_BODY = "";

/** Adds an event to the outbox of a webhook. Returns why it was dropped instead; null if it was added. */
export async function insertDelivery(db: Db, row: WebhookDeliveryRow): Promise<string | null> {
  if (row.body.length > MAX_BODY_LENGTH) {
    await dropDelivery(db, { ...row, body: NO_BODY });
    return "The event is too large";
  }
  if ((await countWaiting(db, row.webhook_id)) < MAX_PENDING) {
    await insertRow(db, "webhook_deliveries", row);
    return null;
  }
  await dropDelivery(db, row);
  return "The outbox is full";
}

/** Gives up an event that does not fit into the outbox. */
async function dropDelivery(db: Db, row: WebhookDeliveryRow): Promise<void> {
  await updateRows(db, "webhooks", { id: row.webhook_id }, { dropped: sql<number>`dropped + 1` });
  await keepDelivery(db, row, "dropped");
}

async function countWaiting(db: Db, webhookId: string): Promise<number> {
  return await countRows(db.selectFrom("webhook_deliveries").where("webhook_id", "=", webhookId));
}

/** Removes the statuses of a path that another one replaces: with the same context. They must not be sent after it. */
export async function deleteStatuses(db: Db, webhookId: string, path: string, body: string): Promise<void> {
  const contextOf = (text: string) => (JSON.parse(text) as { readonly context?: unknown }).context;
  for (const table of ["webhook_deliveries", "kept_deliveries"] as const) {
    const stored = await db
      .selectFrom(table)
      .select(["id", "game_id", "gate_id", "body"])
      .where((eb) => eb.and({ webhook_id: webhookId, path }))
      .execute();
    for (const event of stored.filter((one) => contextOf(one.body) === contextOf(body))) {
      await db.deleteFrom(table).where("webhook_id", "=", webhookId).where("id", "=", event.id).execute();
      if (table === "webhook_deliveries") await storeGateDelivery(db, event, "dropped");
    }
  }
}

/** Stores whether the receiver of a gate has its verdict, if the event is one. */
async function storeGateDelivery(
  db: Db,
  { game_id, gate_id }: Pick<WebhookDeliveryRow, "game_id" | "gate_id">,
  delivery: GateRow["delivery"],
): Promise<void> {
  if (gate_id === null) return;
  await updateRows(db, "gates", { game_id, id: gate_id }, { delivery });
}

/** The gates whose verdicts wait for a webhook do not get them delivered. */
export async function dropVerdicts(db: Db, webhookId: string): Promise<void> {
  const verdicts = await db
    .selectFrom("webhook_deliveries")
    .select(["game_id", "gate_id"])
    .where("webhook_id", "=", webhookId)
    .where("gate_id", "is not", null)
    .execute();
  for (const verdict of verdicts) await storeGateDelivery(db, verdict, "dropped");
}

/** Whether a verdict waits, or was decided by a server that stored nothing about it. As in the index, which SQLite does not match with parameters. */
const isUnsettled = sql<SqlBool>`state <> 'open' and coalesce(delivery, 'waiting') = 'waiting'`;

/** The longest that an event waits for its end without a replay, ms: its last attempt may begin that late. */
const MAX_WAIT_MS = MAX_AGE_MS + 2 * MAX_BACKOFF_MS;
/** The number of verdicts that are looked at together. */
const MAX_VERDICTS = 1_000;

/**
 * Settles verdicts that are in no outbox: a server of the version before, which stores no results, has sent them or given them up. Writes
 * nothing if there are none.
 */
export async function settleVerdicts(
  { readDb, write }: Pick<Store, "readDb" | "write">,
  now: number,
): Promise<void> {
  if ((await findLostVerdicts(readDb, now)).length === 0) return;
  await write(async (db) => {
    for (const { game_id, id } of await findLostVerdicts(db, now))
      await storeGateDelivery(db, { game_id, gate_id: id }, "unknown");
  });
}

async function findLostVerdicts(db: Db, now: number): Promise<Pick<GateRow, "game_id" | "id">[]> {
  const gates = await db
    .selectFrom("gates")
    .select(["game_id", "id"])
    .where(isUnsettled)
    .where("decided_at", "<=", now - MAX_WAIT_MS)
    .where(isReachable(db))
    .orderBy("decided_at")
    .limit(MAX_VERDICTS)
    .execute();
  if (gates.length === 0) return [];
  const ids = gates.map(({ id }) => id);
  const waiting = await db
    .selectFrom("webhook_deliveries")
    .select("gate_id")
    .where("gate_id", "in", ids)
    .execute();
  const found = new Set(waiting.map(({ gate_id }) => gate_id));
  return gates.filter(({ id }) => !found.has(id));
}

/** Records in an imported database that nothing of the outbox of the exported one is in it. `now` is unix ms. */
export async function loseOutbox(db: Db, now: number): Promise<void> {
  await updateRows(db, "gates", { delivery: "waiting" }, { delivery: "dropped" });
  await db
    .updateTable("webhooks")
    .set({ kept_since: now })
    .where((eb) => eb.or([eb("attempted_at", "is not", null), eb("dropped", ">", 0)]))
    .execute();
}

/** Keeps an event after its end, among the newest ones of its webhook. Its gate has the result. */
async function keepDelivery(
  db: Db,
  { due_at: _due, attempts: _attempts, replayed_at: _replayed, ...event }: WebhookDeliveryRow,
  result: DeliveryResult,
): Promise<void> {
  await storeGateDelivery(db, event, result);
  await insertRow(db, "kept_deliveries", { ...event, result });
  const excess = await db
    .selectFrom("kept_deliveries")
    .select("created_at")
    .where("webhook_id", "=", event.webhook_id)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .offset(MAX_KEPT)
    .limit(1)
    .executeTakeFirst();
  if (!excess) return;
  await db
    .deleteFrom("kept_deliveries")
    .where("webhook_id", "=", event.webhook_id)
    .where("created_at", "<=", excess.created_at)
    .execute();
  await updateRows(db, "webhooks", { id: event.webhook_id }, { kept_since: excess.created_at });
}

/** What is sent again to a webhook. */
export interface Replay {
  /** The number of events that are sent again, by how they had ended. Those that waited are sent now. */
  readonly sent: Readonly<Record<DeliveryResult | "waiting", number>>;
  /** The number of further events that do not fit into the outbox now. */
  readonly left: number;
  /** The number of events that were dropped because they were too large, and cannot be sent again. */
  readonly tooLarge: number;
  /** Events that were created up to then are no longer kept, unix ms; null if all since the requested time are. */
  readonly keptSince: number | null;
}

/** Sends the events again that were created at or after a time, with their ids, oldest first. */
export async function replayDeliveries(
  db: Db,
  { id, created_at, kept_since }: Pick<WebhookRow, "id" | "created_at" | "kept_since">,
  since: number,
  now: number,
): Promise<Replay> {
  const isAsked = (eb: ExpressionBuilder<Schema, "webhook_deliveries" | "kept_deliveries">) =>
    eb.and([eb("webhook_id", "=", id), eb("created_at", ">=", since)]);
  const capacity = Math.max(0, MAX_PENDING - (await countWaiting(db, id)));
  const kept = await db
    .selectFrom("kept_deliveries")
    .selectAll()
    .where(isAsked)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  const complete = kept.filter(({ body }) => body !== NO_BODY);
  const again = complete.slice(0, capacity);
  // With one attempt, they are not gathered into a message about several events.
  const queued = { due_at: now, replayed_at: now, attempts: 1 };
  const { numUpdatedRows } = await db
    .updateTable("webhook_deliveries")
    .set(queued)
    .where(isAsked)
    .executeTakeFirstOrThrow();
  for (const { result: _result, ...event } of again) {
    await deleteRows(db, "kept_deliveries", { webhook_id: id, id: event.id });
    await insertRow(db, "webhook_deliveries", { ...event, ...queued });
    await storeGateDelivery(db, event, "waiting");
  }
  const count = (wanted: DeliveryResult) => again.filter(({ result }) => result === wanted).length;
  const keptSince = Math.max(kept_since ?? 0, now - KEPT_MS);
  return {
    sent: { delivered: count("delivered"), dropped: count("dropped"), waiting: Number(numUpdatedRows) },
    left: complete.length - again.length,
    tooLarge: kept.length - complete.length,
    keptSince: keptSince >= since && keptSince >= created_at ? keptSince : null,
  };
}

/** Removes an event from the outbox, and keeps it for some time. Returns false if another server already has. */
export async function endDelivery(
  db: Db,
  event: WebhookDeliveryRow,
  result: DeliveryResult,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("webhook_deliveries")
    .where((eb) => eb.and({ webhook_id: event.webhook_id, id: event.id }))
    .executeTakeFirstOrThrow();
  if (numDeletedRows !== 1n) return false;
  await keepDelivery(db, event, result);
  return true;
}

/** Deletes events that were added while their webhook was removed. Writes nothing if there are none. */
export async function deleteOrphans({ readDb, writeDb }: Databases): Promise<void> {
  const query = readDb.selectFrom("webhook_deliveries").select("id").where(isOrphan).limit(1);
  if (!(await query.executeTakeFirst())) return;
  await writeDb.deleteFrom("webhook_deliveries").where(isOrphan).execute();
}

const isOrphan = ({ not, exists, selectFrom }: ExpressionBuilder<Schema, "webhook_deliveries">) =>
  not(
    exists(
      selectFrom("webhooks")
        .select("webhooks.id")
        .whereRef("webhooks.id", "=", "webhook_deliveries.webhook_id"),
    ),
  );

/** Deletes events that are kept no longer. Writes nothing if there are none. */
export async function deleteExpired({ readDb, writeDb }: Databases, now: number): Promise<void> {
  const until = now - KEPT_MS;
  const query = readDb.selectFrom("kept_deliveries").select("id").where("created_at", "<=", until).limit(1);
  if (!(await query.executeTakeFirst())) return;
  await writeDb.deleteFrom("kept_deliveries").where("created_at", "<=", until).execute();
}

/** A time that is later than now by more than this, ms, was stored before the clock was set back. */
const MAX_AHEAD_MS = HOUR_MS;

/**
 * Keeps events as if they were created now if the clock was ahead then. Otherwise, they would be kept for longer, and in the place of
 * newer ones. Writes nothing if there are none.
 */
export async function correctTimes(
  { readDb, write }: Pick<Store, "readDb" | "write">,
  now: number,
): Promise<void> {
  const after = now + MAX_AHEAD_MS;
  const kept = readDb.selectFrom("kept_deliveries").select("id").where("created_at", ">", after).limit(1);
  const since = readDb.selectFrom("webhooks").select("id").where("kept_since", ">", after).limit(1);
  if (!((await kept.executeTakeFirst()) || (await since.executeTakeFirst()))) return;
  await write(async (db) => {
    await db
      .updateTable("kept_deliveries")
      .set({ created_at: now })
      .where("created_at", ">", after)
      .execute();
    await db.updateTable("webhooks").set({ kept_since: now }).where("kept_since", ">", after).execute();
  });
}

type Databases = Pick<Store, "readDb" | "writeDb">;
