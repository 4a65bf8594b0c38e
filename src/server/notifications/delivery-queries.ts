/** Adds events to the outboxes of webhooks, ends them, and keeps them for some time, so that they can be sent again. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely";
import type { Db, GateRow, Schema, WebhookDeliveryRow, WebhookRow } from "../db/schema.ts";
import type { Store } from "../db/store.ts";
import type { DeliveryResult } from "../db/tables/state.ts";
import { KEPT_MS, MAX_KEPT, MAX_PENDING } from "./limits.ts";

/** Adds an event to the outbox of a webhook. If it is full, the event is dropped. */
export async function insertDelivery(db: Db, row: WebhookDeliveryRow): Promise<void> {
  if ((await countWaiting(db, row.webhook_id)) < MAX_PENDING) {
    await db.insertInto("webhook_deliveries").values(row).execute();
    return;
  }
  await db
    .insertInto("webhook_deliveries")
    .values({ ...row, result: "dropped" })
    .execute();
  await addDropped(db, row.webhook_id);
  await concludeDelivery(db, row, "dropped");
}

async function countWaiting(db: Db, webhookId: string): Promise<number> {
  const { count } = await db
    .selectFrom("webhook_deliveries")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("webhook_id", "=", webhookId)
    .where("result", "is", null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Removes the statuses of a path that another one replaces: with the same context. They must not be sent after it. */
export async function deleteStatuses(db: Db, webhookId: string, path: string, body: string): Promise<void> {
  const stored = await db
    .selectFrom("webhook_deliveries")
    .selectAll()
    .where("webhook_id", "=", webhookId)
    .where("path", "=", path)
    .execute();
  const contextOf = (text: string) => (JSON.parse(text) as { readonly context?: unknown }).context;
  const replaced = stored.filter((event) => contextOf(event.body) === contextOf(body));
  for (const event of replaced) {
    await db
      .deleteFrom("webhook_deliveries")
      .where("webhook_id", "=", webhookId)
      .where("id", "=", event.id)
      .execute();
    if (event.result === null) await storeGateDelivery(db, event, "dropped");
  }
}

/** Stores whether the receiver of a gate has its verdict, if the event is one. */
async function storeGateDelivery(
  db: Db,
  { game_id, gate_id }: Pick<WebhookDeliveryRow, "game_id" | "gate_id">,
  delivery: GateRow["delivery"],
): Promise<void> {
  if (gate_id === null) return;
  await db
    .updateTable("gates")
    .set({ delivery })
    .where("game_id", "=", game_id)
    .where("id", "=", gate_id)
    .execute();
}

/** The gates whose verdicts wait for a webhook do not get them delivered. */
export async function dropVerdicts(db: Db, webhookId: string): Promise<void> {
  const verdicts = await db
    .selectFrom("webhook_deliveries")
    .select(["game_id", "gate_id"])
    .where("webhook_id", "=", webhookId)
    .where("result", "is", null)
    .where("gate_id", "is not", null)
    .execute();
  for (const verdict of verdicts) await storeGateDelivery(db, verdict, "dropped");
}

/** Follows the end of an event: its gate has the result, and the webhook keeps only its newest events. */
async function concludeDelivery(
  db: Db,
  event: Pick<WebhookDeliveryRow, "webhook_id" | "game_id" | "gate_id">,
  result: DeliveryResult,
): Promise<void> {
  await storeGateDelivery(db, event, result);
  const isKept = (eb: ExpressionBuilder<Schema, "webhook_deliveries">) =>
    eb.and([eb("webhook_id", "=", event.webhook_id), eb("result", "is not", null)]);
  const first = await db
    .selectFrom("webhook_deliveries")
    .select("created_at")
    .where(isKept)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .offset(MAX_KEPT)
    .limit(1)
    .executeTakeFirst();
  if (!first) return;
  await db
    .deleteFrom("webhook_deliveries")
    .where(isKept)
    .where("created_at", "<=", first.created_at)
    .execute();
  await db
    .updateTable("webhooks")
    .set({ kept_since: first.created_at })
    .where("id", "=", event.webhook_id)
    .execute();
}

/** What is sent again to a webhook. */
export interface Replay {
  /** The number of events that are sent again, by how they had ended. Those that waited are sent now. */
  readonly sent: Readonly<Record<DeliveryResult | "waiting", number>>;
  /** The number of further events that do not fit into the outbox now. */
  readonly left: number;
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
  const events = await db
    .selectFrom("webhook_deliveries")
    .select(["id", "game_id", "gate_id", "result"])
    .where("webhook_id", "=", id)
    .where("created_at", ">=", since)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  const capacity = Math.max(0, MAX_PENDING - (await countWaiting(db, id)));
  const waiting = events.filter(({ result }) => result === null);
  const ended = events.filter(({ result }) => result !== null);
  const again = [...waiting, ...ended.slice(0, capacity)];
  const ids = again.map((event) => event.id);
  if (ids.length > 0)
    await db
      .updateTable("webhook_deliveries")
      // With one attempt, they are not gathered into a message about several events.
      .set({ result: null, due_at: now, queued_at: now, attempts: 1 })
      .where("webhook_id", "=", id)
      .where("id", "in", ids)
      .execute();
  for (const event of again) await storeGateDelivery(db, event, "waiting");
  const count = (wanted: DeliveryResult | null) => again.filter(({ result }) => result === wanted).length;
  const keptSince = Math.max(kept_since ?? 0, now - KEPT_MS);
  return {
    sent: { delivered: count("delivered"), dropped: count("dropped"), waiting: count(null) },
    left: ended.length + waiting.length - again.length,
    keptSince: keptSince >= since && keptSince >= created_at ? keptSince : null,
  };
}

/** Counts an event that is given up. */
export async function addDropped(db: Db, webhookId: string): Promise<void> {
  await db
    .updateTable("webhooks")
    .set({ dropped: sql<number>`dropped + 1` })
    .where("id", "=", webhookId)
    .execute();
}

/** Removes an event from the outbox, and keeps it for some time. Returns false if another server already has. */
export async function endDelivery(
  db: Db,
  event: WebhookDeliveryRow,
  result: DeliveryResult,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("webhook_deliveries")
    .set({ result })
    .where("webhook_id", "=", event.webhook_id)
    .where("id", "=", event.id)
    .where("result", "is", null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows !== 1n) return false;
  await concludeDelivery(db, event, result);
  return true;
}

/** Deletes events that were added while their webhook was removed. Writes nothing if there are none. */
export const deleteOrphans = (store: Databases): Promise<void> => deleteDeliveries(store, isOrphan);

/** Deletes events that are kept no longer. Writes nothing if there are none. */
export const deleteExpired = (store: Databases, now: number): Promise<void> =>
  deleteDeliveries(store, (eb) =>
    eb.and([
      // Begins with the column of an index.
      eb("webhook_id", "in", eb.selectFrom("webhooks").select("webhooks.id")),
      eb("result", "is not", null),
      eb("created_at", "<=", now - KEPT_MS),
    ]),
  );

type Databases = Pick<Store, "readDb" | "writeDb">;

async function deleteDeliveries(
  { readDb, writeDb }: Databases,
  isDeleted: (eb: ExpressionBuilder<Schema, "webhook_deliveries">) => Expression<SqlBool>,
): Promise<void> {
  const query = readDb.selectFrom("webhook_deliveries").select("id").where(isDeleted).limit(1);
  if (await query.executeTakeFirst())
    await writeDb.deleteFrom("webhook_deliveries").where(isDeleted).execute();
}

const isOrphan = ({ not, exists, selectFrom }: ExpressionBuilder<Schema, "webhook_deliveries">) =>
  not(
    exists(
      selectFrom("webhooks")
        .select("webhooks.id")
        .whereRef("webhooks.id", "=", "webhook_deliveries.webhook_id"),
    ),
  );
