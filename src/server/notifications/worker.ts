/**
 * Sends the events in the outboxes of webhooks in the background: several webhooks at a time, but one event at a time to
 * each, even if several servers share the database. A slow receiver holds up nothing but its own events.
 */

import { backoffMs } from "../../shared/retry.ts";
import {
  type DeliveryFailure,
  isAccepted,
  SendError,
  toFailure,
  type WebhookResponse,
} from "../../webhooks/response.ts";
import { UnreadableToken } from "../../webhooks/token-cipher.ts";
import { updateRow } from "../db/rows.ts";
import type { WebhookDeliveryRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import {
  correctTimes,
  deleteExpired,
  deleteOrphans,
  endDelivery,
  settleVerdicts,
} from "./delivery-queries.ts";
import { noteFailure, settleWebhooks } from "./failures.ts";
import { FIRST_BACKOFF_MS, KEPT_MS, MAX_AGE_MS, MAX_ATTEMPTS, MAX_BACKOFF_MS } from "./limits.ts";
import {
  type ClaimedDelivery,
  claimDelivery,
  findNextDueTime,
  isDueTime,
  isOwnAttempt,
  recordAttempt,
  releaseLease,
} from "./notification-queries.ts";
import { toWebhookRequest } from "./webhooks.ts";

/** Maximum number of webhooks that this process sends to at a time. */
const MAX_PARALLEL = 8;
/** Maximum time between checks of the outbox, in ms. Other processes may add events to it. */
const MAX_SLEEP_MS = 5_000;
/** Minimum time between two deletions of what is kept no longer, in ms. */
const TIDY_MS = 60_000;

/** The worker of a service. It first checks the outbox when it is woken. */
export class DeliveryWorker {
  readonly #service: Service;
  readonly #sending = new Set<Promise<void>>();
  #claiming: Promise<void> | null = null;
  #again = false;
  #tidiedAt = Number.NEGATIVE_INFINITY;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Checks the outbox soon. */
  wake(): void {
    clearTimeout(this.#timer);
    this.#again = true;
    if (this.#stopped || this.#claiming) return;
    this.#claiming = this.#run()
      .catch((error: unknown) => {
        this.#service.report("the outbox of webhooks", error);
        return MAX_SLEEP_MS;
      })
      .then((ms) => this.#sleep(ms))
      .finally(() => {
        this.#claiming = null;
        if (this.#again) this.wake();
      });
  }

  /** Resolves once no event is due. */
  async drain(): Promise<void> {
    this.wake();
    while (this.#claiming || this.#sending.size > 0) {
      await this.#claiming;
      await Promise.all(this.#sending);
    }
  }

  /** Stops. Requests in progress are aborted when the service stops, and their events are sent again later. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#claiming;
    await Promise.all(this.#sending);
  }

  /** Starts what is due, and returns the time until the next check in ms. */
  async #run(): Promise<number> {
    const { store } = this.#service;
    // Only what comes from here on asks for another run at once, also if this one fails.
    this.#again = false;
    await this.#tidy(this.#service.now());
    do {
      this.#again = false;
      while (!this.#stopped && this.#sending.size < MAX_PARALLEL && (await this.#startNext()));
    } while (this.#again && !this.#stopped);
    // The end of a request wakes the worker.
    if (this.#sending.size >= MAX_PARALLEL) return MAX_SLEEP_MS;
    const now = this.#service.now();
    const due = await findNextDueTime(store.readDb, now);
    return due === null ? MAX_SLEEP_MS : Math.min(MAX_SLEEP_MS, Math.max(1, due - now));
  }

  async #tidy(now: number): Promise<void> {
    // The clock may be set back.
    if (Math.abs(now - this.#tidiedAt) < TIDY_MS) return;
    const { store } = this.#service;
    if (this.#tidiedAt === Number.NEGATIVE_INFINITY) await deleteOrphans(store);
    await settleVerdicts(store, now);
    await correctTimes(store, now);
    await deleteExpired(store, now);
    await settleWebhooks(this.#service);
    this.#tidiedAt = now;
  }

  async #startNext(): Promise<boolean> {
    const { store } = this.#service;
    const now = this.#service.now();
    // Reading first keeps an idle server from locking the database for writing.
    const due = await findNextDueTime(store.readDb, now);
    if (due === null || !isDueTime(due, now)) return false;
    const claimed = await store.write((db) => claimDelivery(db, this.#service, now));
    if (!claimed) return false;
    const sending = deliver(this.#service, claimed)
      .catch((error: unknown) => this.#service.report(`sending to webhook ${claimed.webhook.id}`, error))
      .finally(() => {
        this.#sending.delete(sending);
        this.wake();
      });
    this.#sending.add(sending);
    return true;
  }

  #sleep(ms: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.wake(), ms);
    this.#timer.unref();
  }
}

/** How an attempt ended. */
interface Attempt {
  readonly status: number | null;
  /** The kind of failure; null if the receiver accepted the event. */
  readonly failure: DeliveryFailure | null;
  /** Why it failed; null if the receiver accepted the event. */
  readonly error: string | null;
  readonly retryAfterMs: number | null;
}

/** Sends the event and records the result. If the service stops meanwhile, the event stays in the outbox. */
async function deliver(service: Service, claimed: ClaimedDelivery): Promise<void> {
  const { webhook, delivery } = claimed;
  const start = service.monotonicNow();
  const attempt = await send(service, claimed);
  if (attempt === null) {
    await service.store.write((db) => releaseLease(db, claimed));
    return;
  }
  const { status, failure, error, retryAfterMs } = attempt;
  const now = service.now();
  const result = await service.store.write(async (db) => {
    const isStillOurs = await isOwnAttempt(db, delivery);
    const ended =
      error === null ? "delivered" : isStillOurs && isLastAttempt(delivery, now) ? "dropped" : "retry";
    if (ended === "retry" && isStillOurs) {
      await updateRow(db, "webhook_deliveries", delivery, {
        due_at: now + chooseWaitMs(delivery.attempts, retryAfterMs),
      });
    }
    // Another server may have sent it too, if this one was suspended until its lease expired.
    const isRemoved = ended !== "retry" && (await endDelivery(db, delivery, ended));
    const count = (counted: typeof ended) => (isRemoved && ended === counted ? 1 : 0);
    await recordAttempt(
      db,
      webhook,
      { delivered: count("delivered"), dropped: count("dropped"), error },
      now,
    );
    if (failure !== null) await noteFailure(db, service, webhook, failure);
    return ended;
  });
  service.observer.delivery({
    webhookId: webhook.id,
    deliveryId: delivery.id,
    type: delivery.type,
    attempt: delivery.attempts,
    result,
    status,
    failure,
    error,
    ms: service.monotonicNow() - start,
  });
}

const isLastAttempt = ({ attempts, replayed_at, created_at }: WebhookDeliveryRow, now: number) =>
  attempts >= MAX_ATTEMPTS || now - (replayed_at ?? created_at) >= MAX_AGE_MS || now - created_at >= KEPT_MS;

/** Sends the event. Returns null if the service stops. */
async function send(service: Service, { webhook, delivery }: ClaimedDelivery): Promise<Attempt | null> {
  const { sendWebhook } = await import("../../webhooks/send.ts");
  try {
    const now = service.now();
    const request = toWebhookRequest(webhook, delivery, service.tokenKey, now);
    const response = await sendWebhook(request, { now, signal: service.stopping });
    const { status, retryAfterMs } = response;
    if (isAccepted(response)) return { status, retryAfterMs, failure: null, error: null };
    return { status, retryAfterMs, failure: toFailure(status), error: describeRefusal(response) };
  } catch (error) {
    if (service.stopping.aborted) return null;
    const none = { status: null, retryAfterMs: null };
    if (error instanceof UnreadableToken)
      return { ...none, failure: "token", error: `${error.message}: ${TOKEN_KEY_HINT}` };
    if (error instanceof SendError) return { ...none, failure: error.fault, error: error.message };
    throw error;
  }
}

const TOKEN_KEY_HINT = "start the server with the PLAYTEST_TOKEN_KEY that it was added with";

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
