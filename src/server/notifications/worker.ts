/**
 * Sends the events in the outboxes of webhooks in the background: several webhooks at a time, but one event at a time to
 * each, even if several servers share the database. A slow receiver holds up nothing but its own events.
 */
import type { Service } from "../db/service.ts";
import { deliver } from "./deliver.ts";
import { claimDelivery, deleteOrphans, findNextDueTime, isDueTime } from "./notification-queries.ts";

/** Maximum number of webhooks that this process sends to at a time. */
const MAX_PARALLEL = 8;
/** Maximum time between checks of the outbox, in ms. Other processes may add events to it. */
const MAX_SLEEP_MS = 5_000;

export interface DeliveryWorker {
  /** Checks the outbox soon. */
  wake(): void;
  /** Resolves once no event is due. */
  drain(): Promise<void>;
  /** Stops. Requests in progress are aborted when the service stops, and their events are sent again later. */
  stop(): Promise<void>;
}

/** Creates the worker of a service. It first checks the outbox when it is woken. */
export function startDeliveries(service: Service): DeliveryWorker {
  return new Deliveries(service);
}

class Deliveries implements DeliveryWorker {
  readonly #service: Service;
  readonly #sending = new Set<Promise<void>>();
  #claiming: Promise<void> | null = null;
  #again = false;
  #isNew = true;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(service: Service) {
    this.#service = service;
  }

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

  async drain(): Promise<void> {
    this.wake();
    while (this.#claiming || this.#sending.size > 0) {
      await this.#claiming;
      await Promise.all(this.#sending);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#claiming;
    await Promise.all(this.#sending);
  }

  /** Starts what is due, and returns the time until the next check in ms. */
  async #run(): Promise<number> {
    const { store } = this.#service;
    if (this.#isNew) await deleteOrphans(store);
    this.#isNew = false;
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

  async #startNext(): Promise<boolean> {
    const { store } = this.#service;
    const now = this.#service.now();
    // Reading first keeps an idle server from locking the database for writing.
    const due = await findNextDueTime(store.readDb, now);
    if (due === null || !isDueTime(due, now)) return false;
    const claimed = await store.write((db) => claimDelivery(db, now));
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
