/**
 * The kinds of failures of each webhook. The audit has an entry when a kind begins and when it has ended, and none for each attempt:
 * a kind that was seen minutes ago, or whose events are still retried, has not ended.
 */
import type { DeliveryFailure } from "../../webhooks/response.ts";
import { recordChange } from "../audit/audit.ts";
import type { Dependencies } from "../core/dependencies.ts";
import { updateRow } from "../db/rows.ts";
import type { Db, WebhookRow } from "../db/schema.ts";
import type { Store } from "../db/store.ts";
import { MAX_BACKOFF_MS } from "./limits.ts";
import { findUnsettledWebhooks, findWebhook, type UnsettledWebhook } from "./notification-queries.ts";

/** How long ago a kind was last seen once it has ended, in ms: if all is well, and while an event fails or waits for a retry. */
const QUIET_MS = 10 * 60 * 1000;
const QUIET_RETRYING_MS = 2 * MAX_BACKOFF_MS;

type Recorder = Pick<Dependencies, "now" | "newId">;

/** When each kind was last seen, unix ms. */
const listFailures = ({ failures }: Pick<WebhookRow, "failures">) =>
  Object.entries(JSON.parse(failures) as Record<string, number>) as [DeliveryFailure, number][];

/** How the last attempt failed; null if it succeeded. */
export function findLastFailure(row: Pick<WebhookRow, "failures" | "failing_since">): DeliveryFailure | null {
  const [last] = listFailures(row).sort(([, a], [, b]) => b - a);
  return row.failing_since === null ? null : (last?.[0] ?? null);
}

/** Stores that an attempt has failed. Call it after the webhook was changed, which locks it. */
export async function noteFailure(
  db: Db,
  service: Recorder,
  webhook: WebhookRow,
  failure: DeliveryFailure,
): Promise<void> {
  const stored = await findWebhook(db, webhook.account_id, webhook.id);
  if (!stored) return;
  const seen = new Map(listFailures(stored));
  if (!seen.has(failure)) await recordFailure(db, service, webhook, "webhooks.failing", failure);
  await storeFailures(db, webhook, [...seen.set(failure, service.now())]);
}

/** Ends the kinds of failures that are over, and forgets secrets that are no longer valid. Writes nothing if there are none. */
export async function settleWebhooks(service: Recorder & { readonly store: Store }): Promise<void> {
  const { store } = service;
  const now = service.now();
  const isSettled = (row: UnsettledWebhook) => listEnded(row, now).size === 0 && !hasExpired(row, now);
  if ((await findUnsettledWebhooks(store.readDb)).every(isSettled)) return;
  await store.write(async (db) => {
    for (const row of await findUnsettledWebhooks(db)) {
      const ended = listEnded(row, now);
      for (const failure of ended) await recordFailure(db, service, row, "webhooks.recovered", failure);
      const left = listFailures(row).filter(([failure]) => !ended.has(failure));
      if (ended.size > 0) await storeFailures(db, row, left);
      if (hasExpired(row, now))
        await updateRow(db, "webhooks", row, { old_secret: null, old_secret_until: null });
    }
  });
}

const hasExpired = ({ old_secret_until: until }: WebhookRow, now: number) => until !== null && until <= now;

/** A webhook that fails keeps the kind of its last failure, however long ago that was. */
function listEnded(row: UnsettledWebhook, now: number): Set<DeliveryFailure> {
  const quietMs = row.failing_since === null && !row.isRetrying ? QUIET_MS : QUIET_RETRYING_MS;
  const old = listFailures(row).filter(([, at]) => Math.abs(now - at) >= quietMs);
  const last = findLastFailure(row);
  return new Set(old.map(([failure]) => failure).filter((failure) => failure !== last));
}

const recordFailure = (
  db: Db,
  service: Recorder,
  { account_id: accountId, id: target }: WebhookRow,
  action: "webhooks.failing" | "webhooks.recovered",
  failure: DeliveryFailure,
) => recordChange(db, service, { action, actor: "service", accountId, target, detail: { failure } });

const storeFailures = (db: Db, webhook: WebhookRow, failures: readonly [DeliveryFailure, number][]) =>
  updateRow(db, "webhooks", webhook, { failures: JSON.stringify(Object.fromEntries(failures)) });
