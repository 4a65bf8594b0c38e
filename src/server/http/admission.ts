/** What the service has in hand at any time: bounded, so that too much of it is refused at once rather than everything slow. */
import { HttpError } from "../../contract/errors.ts";

export interface AdmissionSettings {
  /** Requests in progress, from their headers to their answer; those for health are not counted. */
  readonly requests: number;
  /** Bytes of bodies held over all requests: as sent, and again as decompressed. */
  readonly bodyBytes: number;
}

/**
 * Requests wait for one database, which answers them one after the other: hundreds in progress are seconds of work. A
 * body that was parsed takes several times its bytes, so 32 MiB of them are a few hundred MiB at worst.
 */
export const defaultAdmission: AdmissionSettings = { requests: 512, bodyBytes: 32 * 2 ** 20 };

/** After how long a refused client may ask again, ms. */
const RETRY_AFTER_MS = 1000;

/** What one request has in hand. */
export interface Permit {
  /** Counts bytes of its body. Throws `unavailable` where all requests together would hold too many. */
  reserve(bytes: number): void;
  /** Gives back all that it held: once, whatever came of it. */
  release(): void;
}

/** Counts what all requests have in hand. */
export class AdmissionControl {
  readonly #most: AdmissionSettings;
  #requests = 0;
  #bodyBytes = 0;

  constructor(most: AdmissionSettings) {
    this.#most = most;
  }

  /** Begins a request. Throws `unavailable` where too many are in progress. */
  admit(): Permit {
    if (this.#requests >= this.#most.requests) throw overloaded();
    this.#requests += 1;
    let held = 0;
    return {
      reserve: (bytes) => {
        if (this.#bodyBytes + bytes > this.#most.bodyBytes) throw overloaded();
        this.#bodyBytes += bytes;
        held += bytes;
      },
      release: () => {
        this.#requests -= 1;
        this.#bodyBytes -= held;
      },
    };
  }
}

const overloaded = () => new HttpError("unavailable", { extra: { retryAfterMs: RETRY_AFTER_MS } });
