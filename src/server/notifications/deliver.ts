/** Sends a claimed event once, and records the result: accepted, to be sent again later, or given up. */

import { backoffMs } from "../../shared/retry.ts";
import { isAccepted, SendError, type WebhookResponse } from "../../webhooks/response.ts";
import type { Service } from "../db/service.ts";
import { FIRST_BACKOFF_MS, MAX_AGE_MS, MAX_ATTEMPTS, MAX_BACKOFF_MS } from "./limits.ts";
import {
  type ClaimedDelivery,
  deleteDelivery,
  recordAttempt,
  releaseLease,
  updateDelivery,
} from "./notification-queries.ts";

/** How an attempt ended. */
interface Attempt {
  readonly status: number | null;
  /** Why it failed; null if the receiver accepted the event. */
  readonly error: string | null;
  readonly retryAfterMs: number | null;
}

/** Sends the event and records the result. If the service stops meanwhile, the event stays in the outbox. */
export async function deliver(service: Service, claimed: ClaimedDelivery): Promise<void> {
  const { webhook, delivery } = claimed;
  const start = service.monotonicNow();
  const attempt = await send(service, claimed);
  if (attempt === null) {
    await service.store.write((db) => releaseLease(db, claimed));
    return;
  }
  const { status, error, retryAfterMs } = attempt;
  const now = service.now();
  const isFinal = delivery.attempts >= MAX_ATTEMPTS || now - delivery.created_at >= MAX_AGE_MS;
  const result = error === null ? "delivered" : isFinal ? "dropped" : "retry";
  await service.store.write(async (db) => {
    if (result === "retry") {
      await updateDelivery(db, delivery, { due_at: now + chooseWaitMs(delivery.attempts, retryAfterMs) });
    }
    // Another server may have sent it too, if this one was suspended until its lease expired.
    const isRemoved = result !== "retry" && (await deleteDelivery(db, delivery));
    const count = (counted: typeof result) => (isRemoved && result === counted ? 1 : 0);
    await recordAttempt(
      db,
      webhook,
      { delivered: count("delivered"), dropped: count("dropped"), error },
      now,
    );
  });
  service.observer.delivery({
    webhookId: webhook.id,
    deliveryId: delivery.id,
    type: delivery.type,
    attempt: delivery.attempts,
    result,
    status,
    error,
    ms: service.monotonicNow() - start,
  });
}

/** Sends the event. Returns null if the service stops. */
async function send(service: Service, { webhook, delivery }: ClaimedDelivery): Promise<Attempt | null> {
  const { sendWebhook } = await import("../../webhooks/send.ts");
  const { url, secret } = webhook;
  const { id, body } = delivery;
  try {
    const response = await sendWebhook(
      { url, id, body, secret },
      { now: service.now(), signal: service.stopping },
    );
    const { status, retryAfterMs } = response;
    return { status, retryAfterMs, error: isAccepted(response) ? null : describeRefusal(response) };
  } catch (error) {
    if (service.stopping.aborted) return null;
    if (error instanceof SendError) return { status: null, error: error.message, retryAfterMs: null };
    throw error;
  }
}

const describeRefusal = ({ status }: WebhookResponse) => `The receiver returned status ${status}`;

/**
 * The wait until the next attempt: exponential, with up to half of it random, so that the events that one outage delayed are
 * not all sent at once. A receiver may ask for a longer wait.
 */
function chooseWaitMs(attempts: number, retryAfterMs: number | null): number {
  const wait = backoffMs(attempts, { firstMs: FIRST_BACKOFF_MS, maxMs: MAX_BACKOFF_MS });
  const randomized = Math.ceil(wait * (1 - Math.random() / 2));
  return Math.min(MAX_BACKOFF_MS, Math.max(randomized, retryAfterMs ?? 0));
}
