/** The maximum size of the database. Requests that add data are refused while it is reached; all others are answered. */
import { HttpError } from "../../contract/errors.ts";
import type { Store } from "./store.ts";

/** How long a measured size is used, ms. */
const MEASURED_FOR_MS = 2000;

export class StorageLimit {
  /** Bytes; null without a limit. */
  readonly maxBytes: number | null;
  readonly #store: Pick<Store, "measureSize">;
  readonly #monotonicNow: () => number;
  #measured: { readonly at: number; readonly bytes: Promise<number> } | null = null;

  constructor(
    store: Pick<Store, "measureSize">,
    { maxBytes, monotonicNow }: { maxBytes: number | null; monotonicNow: () => number },
  ) {
    this.#store = store;
    this.maxBytes = maxBytes;
    this.#monotonicNow = monotonicNow;
  }

  /** The size of the database in bytes, at most a few seconds old. */
  async measure(): Promise<number> {
    const now = this.#monotonicNow();
    if (this.#measured === null || now - this.#measured.at >= MEASURED_FOR_MS) {
      const bytes = this.#store.measureSize();
      this.#measured = { at: now, bytes };
      bytes.catch(() => {
        this.#measured = null;
      });
    }
    return await this.#measured.bytes;
  }

  /** Throws `storage_full` if the database has reached its maximum size. */
  async requireCapacity(): Promise<void> {
    if (this.maxBytes !== null && (await this.measure()) >= this.maxBytes)
      throw new HttpError("storage_full");
  }
}
