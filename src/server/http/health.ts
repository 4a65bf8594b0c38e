/** /healthz and /readyz: whether the process lives, and whether it should be sent requests. Anyone may ask, by any name. */

import { withTimeout } from "../core/with-timeout.ts";
import type { Service } from "../db/service.ts";
import { pingDatabase } from "../observability/queries.ts";

/** How long the database may take to answer, ms: a probe waits a few seconds at most. */
const DATABASE_TIMEOUT_MS = 2000;

/** The response of a system endpoint: JSON, unless the headers name another type. */
export interface SystemResponse {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the two paths answer. Neither ever throws. */
export interface Health {
  checkLiveness(): Promise<SystemResponse>;
  checkReadiness(): Promise<SystemResponse>;
}

export function createHealth(service: Service): Health {
  // However many ask at once, the database is asked once.
  let asked: Promise<boolean> | null = null;
  const isAnswering = () => {
    asked ??= withTimeout(DATABASE_TIMEOUT_MS, pingDatabase(service.store.readDb))
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        asked = null;
      });
    return asked;
  };
  return {
    checkLiveness: async () => answer(200, { status: "ok" }),
    async checkReadiness() {
      if (service.draining.aborted) return unready("stopping");
      return (await isAnswering()) ? answer(200, { status: "ok" }) : unready("database");
    },
  };
}

const answer = (status: number, body: Readonly<Record<string, string>>): SystemResponse => ({
  status,
  text: JSON.stringify(body),
  headers: { "cache-control": "no-store" },
});
const unready = (reason: string) => answer(503, { status: "unready", reason });
