/** Reads and writes webhooks and their outbox. */
import { type ExpressionBuilder, sql } from "kysely";
import { prepareQuery } from "../db/prepared.ts";
import { countRows, countUpToLimit, deleteRows, updateRow } from "../db/rows.ts";
import type { Db, Schema, WebhookDeliveryRow, WebhookRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { findBurstEnd, gatherEvents, isGathered, startBurst } from "./bursts.ts";
import { dropVerdicts } from "./delivery-queries.ts";
import { LEASE_MS, MAX_BACKOFF_MS } from "./limits.ts";

/** A webhook, the number of events in its outbox, and since when the first of them has waited, unix ms. */
export type WebhookWithPending = WebhookRow & {
  readonly pending: number;
  readonly waiting_since: number | null;
};

/** The webhooks of an account, oldest first. */
export async function findWebhooks(db: Db, accountId: string): Promise<WebhookWithPending[]> {
  const rows = await selectWebhooks(db, accountId).orderBy("created_at").orderBy("id").execute();
  return rows.map(toWebhook);
}

/** A webhook of an account by its name or id, or undefined. A name cannot be an id. */
export async function findWebhook(
  db: Db,
  accountId: string,
  nameOrId: string,
): Promise<WebhookWithPending | undefined> {
  const row = await selectWebhooks(db, accountId)
    .where((eb) => eb.or([eb("id", "=", nameOrId), eb("name", "=", nameOrId)]))
    .executeTakeFirst();
  return row && toWebhook(row);
}

/** Since when an event has waited. An index has this expression. */
const WAITING_SINCE = sql<number>`coalesce(replayed_at, created_at)`;

const selectWebhooks = (db: Db, accountId: string) =>
  db
    .selectFrom("webhooks")
    .selectAll()
    .select((eb) => {
      const waiting = eb
        .selectFrom("webhook_deliveries")
        .whereRef("webhook_deliveries.webhook_id", "=", "webhooks.id");
      return [
        waiting.select(eb.fn.countAll<number>().as("count")).as("pending"),
        waiting.select(sql<number | null>`min(${WAITING_SINCE})`.as("at")).as("waiting_since"),
      ];
    })
    .where("account_id", "=", accountId);

const toWebhook = (row: WebhookRow & { pending: number | null; waiting_since: number | null }) => ({
  ...row,
  pending: Number(row.pending ?? 0),
});

export async function findTokens(db: Db): Promise<Pick<WebhookRow, "id" | "name" | "token">[]> {
  return await db
    .selectFrom("webhooks")
    .select(["id", "name", "token"])
    .where("token", "is not", null)
    .orderBy("id")
    .execute();
}

/** The number of webhooks of an account. */
export async function countWebhooks(db: Db, accountId: string): Promise<number> {
  return await countRows(db.selectFrom("webhooks").where("account_id", "=", accountId));
}

/** Deletes a webhook and its outbox. */
export async function deleteWebhook(db: Db, accountId: string, id: string): Promise<void> {
  await dropVerdicts(db, id);
  await deleteRows(db, "kept_deliveries", { webhook_id: id });
  await deleteRows(db, "webhook_deliveries", { webhook_id: id });
  await deleteRows(db, "webhooks", { account_id: accountId, id });
}

/** The webhooks that want an event of a game, with the one that the event is for. Statuses of commits are only sent to that one. */
export async function findSubscribers(
  db: Db,
  { accountId, gameId, type }: { readonly accountId: string; readonly gameId: string; readonly type: string },
  addressee?: string,
): Promise<WebhookRow[]> {
  const { rows } = await gameWebhooksQuery(db, { accountId, gameId });
  return rows.filter(
    ({ id, format, events }) =>
      id === addressee || (format !== "github-status" && events.split(" ").includes(type)),
  );
}

const gameWebhooksQuery = prepareQuery(
  (db, { accountId, gameId }: { readonly accountId: string; readonly gameId: string }) =>
    db
      .selectFrom("webhooks")
      .selectAll()
      .where("account_id", "=", accountId)
      .where((eb) => eb.or([eb("game_id", "is", null), eb("game_id", "=", gameId)]))
      // Transactions that lock several of these rows must do so in the same order.
      .orderBy("id"),
);

/** The times of the service may be wrong if its clock was set back. A lease that ends later than this was taken before. */
const MAX_LEASE_MS = 4 * LEASE_MS;

const isUnleased = (now: number) => (eb: ExpressionBuilder<Schema, "webhooks">) =>
  eb.or([eb("lease", "is", null), eb("lease", "<=", now), eb("lease", ">", now + MAX_LEASE_MS)]);

/** The longest time until an event is due, in ms. A later time was set before the clock was set back. */
const MAX_DUE_MS = 2 * MAX_BACKOFF_MS;

export const isDueTime = (due: number, now: number) => due <= now || due > now + MAX_DUE_MS;

const isDue = (now: number) => (eb: ExpressionBuilder<Schema, "webhook_deliveries">) =>
  eb.or([eb("due_at", "<=", now), eb("due_at", ">", now + MAX_DUE_MS)]);

/** An event that this server may send until the lease expires. */
export interface ClaimedDelivery {
  readonly webhook: WebhookRow;
  /** With this attempt already counted, so that an attempt counts even if the process dies. */
  readonly delivery: WebhookDeliveryRow;
}

/** Maximum number of webhooks to try, because other servers may be claiming some at the same moment. */
const MAX_CANDIDATES = 32;

/**
 * Leases the webhook that has waited longest for its turn, with its next due event. Must run in a transaction. Events beyond the
 * budget of the account wait.
 */
export async function claimDelivery(
  db: Db,
  { budgets }: Pick<Service, "budgets">,
  now: number,
): Promise<ClaimedDelivery | null> {
  const candidates = await db
    .selectFrom("webhooks")
    .select(["account_id", "id"])
    .where(isUnleased(now))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("webhook_deliveries")
          .select("webhook_deliveries.id")
          .whereRef("webhook_deliveries.webhook_id", "=", "webhooks.id")
          .where(isDue(now)),
      ),
    )
    .orderBy(sql`coalesce(attempted_at, 0)`)
    .orderBy("id")
    .limit(MAX_CANDIDATES)
    .execute();
  for (const { account_id, id } of candidates) {
    const webhook = await db
      .selectFrom("webhooks")
      .selectAll()
      .where((eb) => eb.and({ account_id, id }))
      .where(isUnleased(now))
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    const delivery = webhook && (await takeNextDelivery(db, budgets, webhook, now));
    if (delivery) return await lease(db, webhook, delivery, now);
  }
  return null;
}

/** Finds the next event that may be sent, and gathers others of its kind in it. Lets those wait that may not be sent yet. */
async function takeNextDelivery(
  db: Db,
  budgets: Service["budgets"],
  webhook: WebhookRow,
  now: number,
): Promise<WebhookDeliveryRow | undefined> {
  for (;;) {
    const next = await findNextDelivery(db, webhook.id, now);
    if (!next) return undefined;
    const isNew = next.attempts === 0 && isGathered(webhook.format, next.type);
    const burstEnd = isNew ? findBurstEnd(webhook, next, now) : null;
    if (burstEnd !== null) {
      await postponeDeliveries(db, webhook.id, now, burstEnd, next);
      continue;
    }
    const spentUntil = await budgets.spend(db, webhook.account_id, { "webhook-messages": 1 });
    if (spentUntil !== null) {
      await postponeDeliveries(db, webhook.id, now, spentUntil);
      return undefined;
    }
    return isNew ? await gatherWaiting(db, webhook, next, now) : next;
  }
}

type EventKind = Pick<WebhookDeliveryRow, "game_id" | "type">;

const isNewOfKind =
  ({ game_id, type }: EventKind) =>
  (eb: ExpressionBuilder<Schema, "webhook_deliveries">) =>
    eb.and([eb("game_id", "=", game_id), eb("type", "=", type), eb("attempts", "=", 0)]);

/** Lets due events wait: all of them, or those of a kind that were not sent yet. */
async function postponeDeliveries(
  db: Db,
  webhookId: string,
  now: number,
  until: number,
  kind?: EventKind,
): Promise<void> {
  const query = db
    .updateTable("webhook_deliveries")
    .set({ due_at: until })
    .where("webhook_id", "=", webhookId)
    .where(isDue(now));
  await (kind ? query.where(isNewOfKind(kind)) : query).execute();
}

/** Replaces an event by one message about all due events of its kind that were not sent yet. */
async function gatherWaiting(
  db: Db,
  webhook: WebhookRow,
  next: WebhookDeliveryRow,
  now: number,
): Promise<WebhookDeliveryRow> {
  const waiting = await db
    .selectFrom("webhook_deliveries")
    .select(["id", "game_id", "type", "created_at"])
    .where("webhook_id", "=", webhook.id)
    .where(isDue(now))
    .where(isNewOfKind(next))
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  const gathered = await gatherEvents(db, webhook, waiting, now);
  await updateRow(db, "webhooks", webhook, { bursts: startBurst(webhook, next, now) });
  if (gathered === null) return next;
  await db
    .deleteFrom("webhook_deliveries")
    .where("webhook_id", "=", webhook.id)
    .where(isDue(now))
    .where(isNewOfKind(next))
    .where("id", "!=", next.id)
    .execute();
  await updateRow(db, "webhook_deliveries", next, gathered);
  return { ...next, ...gathered };
}

async function findNextDelivery(db: Db, webhookId: string, now: number) {
  return await db
    .selectFrom("webhook_deliveries")
    .selectAll()
    .where("webhook_id", "=", webhookId)
    .where(isDue(now))
    .orderBy("due_at")
    .orderBy("created_at")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
}

async function lease(
  db: Db,
  webhook: WebhookRow,
  delivery: WebhookDeliveryRow,
  now: number,
): Promise<ClaimedDelivery> {
  const until = now + LEASE_MS;
  const attempts = delivery.attempts + 1;
  await updateRow(db, "webhooks", webhook, { lease: until, attempted_at: now });
  await updateRow(db, "webhook_deliveries", delivery, { attempts });
  return { webhook: { ...webhook, lease: until, attempted_at: now }, delivery: { ...delivery, attempts } };
}

/**
 * Whether an event is as its attempt has left it, and locks it. If an operator has replayed it meanwhile, or another server sends it, a
 * failure of the attempt says nothing about what follows.
 */
export async function isOwnAttempt(
  db: Db,
  { webhook_id, id, attempts, replayed_at }: WebhookDeliveryRow,
): Promise<boolean> {
  const stored = await db
    .selectFrom("webhook_deliveries")
    .select(["attempts", "replayed_at"])
    .where((eb) => eb.and({ webhook_id, id }))
    .forUpdate()
    .executeTakeFirst();
  return stored?.attempts === attempts && stored.replayed_at === replayed_at;
}

/** What an attempt changes about its webhook. */
interface AttemptResult {
  readonly delivered: number;
  readonly dropped: number;
  /** Null if the receiver accepted the event. */
  readonly error: string | null;
}

/** A webhook with a secret that is to be forgotten, or failures that have not ended. */
export type UnsettledWebhook = WebhookRow & {
  /** Whether an event waits for another attempt. */
  readonly isRetrying: boolean;
};

/** The webhooks that have an old secret or failures, in an order in which transactions may lock them. */
export async function findUnsettledWebhooks(db: Db): Promise<UnsettledWebhook[]> {
  const rows = await db
    .selectFrom("webhooks")
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom("webhook_deliveries")
        .select(eb.fn.countAll<number>().as("count"))
        .whereRef("webhook_deliveries.webhook_id", "=", "webhooks.id")
        .where("attempts", ">", 0)
        .as("retries"),
    )
    .where((eb) => eb.or([eb("old_secret_until", "is not", null), eb("failures", "!=", "{}")]))
    .orderBy("id")
    .forUpdate()
    .execute();
  return rows.map(({ retries, ...row }) => ({ ...row, isRetrying: Number(retries ?? 0) > 0 }));
}

/** The lease of a webhook after this server has released its own. */
const withoutLease = ({ lease }: WebhookRow) =>
  sql<number | null>`case when lease = ${lease} then null else lease end`;

/** Records the result of an attempt, and releases the lease if this server still has it. */
export async function recordAttempt(
  db: Db,
  webhook: WebhookRow,
  { delivered, dropped, error }: AttemptResult,
  now: number,
): Promise<void> {
  await updateRow(db, "webhooks", webhook, {
    lease: withoutLease(webhook),
    delivered: sql<number>`delivered + ${delivered}`,
    dropped: sql<number>`dropped + ${dropped}`,
    failing_since: error === null ? null : sql<number>`coalesce(failing_since, ${now})`,
    last_error: error,
  });
}

/** Releases the lease of an attempt that was abandoned because the service stops. It does not count. */
export async function releaseLease(db: Db, { webhook, delivery }: ClaimedDelivery): Promise<void> {
  await updateRow(db, "webhooks", webhook, { lease: withoutLease(webhook) });
  if (await isOwnAttempt(db, delivery))
    await updateRow(db, "webhook_deliveries", delivery, { attempts: delivery.attempts - 1 });
}

/** Releases every lease. For SQLite at startup: the only process that could have held them has ended. */
export async function releaseWebhookLeases(db: Db): Promise<void> {
  await db.updateTable("webhooks").set({ lease: null }).where("lease", "is not", null).execute();
}

/** When the next event of an unleased webhook is due, in unix ms; null if there is none. */
export async function findNextDueTime(db: Db, now: number): Promise<number | null> {
  const row = await db
    .selectFrom("webhook_deliveries")
    .innerJoin("webhooks", "webhooks.id", "webhook_deliveries.webhook_id")
    .select((eb) => eb.fn.min<number | null>("webhook_deliveries.due_at").as("at"))
    .where((eb) =>
      eb.or([
        eb("webhooks.lease", "is", null),
        eb("webhooks.lease", "<=", now),
        eb("webhooks.lease", ">", now + MAX_LEASE_MS),
      ]),
    )
    .executeTakeFirst();
  return row?.at ?? null;
}

/** The number of events in all outboxes, at most `limit`. */
export async function countOutbox(db: Db, limit: number): Promise<number> {
  return await countUpToLimit(db, db.selectFrom("webhook_deliveries").select("id").limit(limit));
}

/** Since when the oldest event in all outboxes has waited, unix ms; null without one. */
export async function findOldestWaiting(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom("webhook_deliveries")
    .select(WAITING_SINCE.as("at"))
    .orderBy(WAITING_SINCE)
    .limit(1)
    .executeTakeFirst();
  return row?.at ?? null;
}
