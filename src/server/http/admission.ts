/** Admission control: limits concurrent requests and the memory of their bodies. Rejecting some keeps the others fast. */
import { HttpError } from "../../contract/errors.ts";

export interface AdmissionSettings {
  /** The maximum number of requests in progress, without health probes. */
  readonly requests: number;
  /** The maximum size of all bodies in memory, in bytes: as received, plus decompressed. */
  readonly bodyBytes: number;
}

/**
 * The database processes requests one after the other, so hundreds of requests are seconds of work. A parsed body takes
 * several times its size, so 32 MiB of bodies are at most a few hundred MiB of memory.
 */
export const defaultAdmission: AdmissionSettings = { requests: 512, bodyBytes: 32 * 2 ** 20 };

/** The value of Retry-After for rejected requests, ms. */
const RETRY_AFTER_MS = 1000;

/** The capacity that one request uses. */
export interface Permit {
  /** Counts bytes of its body. Throws `unavailable` if the limit of all requests is exceeded. */
  reserve(bytes: number): void;
  /** Releases its capacity. Must be called exactly once. */
  release(): void;
}

export class AdmissionControl {
  readonly #limits: AdmissionSettings;
  #requests = 0;
  #bodyBytes = 0;

  constructor(limits: AdmissionSettings) {
    this.#limits = limits;
  }

  /** Admits a request. Throws `unavailable` if too many are in progress. */
  admit(): Permit {
    if (this.#requests >= this.#limits.requests) throw createOverloadError();
    this.#requests += 1;
    let reserved = 0;
    return {
      reserve: (bytes) => {
        if (this.#bodyBytes + bytes > this.#limits.bodyBytes) throw createOverloadError();
        this.#bodyBytes += bytes;
        reserved += bytes;
      },
      release: () => {
        this.#requests -= 1;
        this.#bodyBytes -= reserved;
      },
    };
  }
}

const createOverloadError = () => new HttpError("unavailable", { extra: { retryAfterMs: RETRY_AFTER_MS } });
