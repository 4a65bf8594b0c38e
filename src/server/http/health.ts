/** The health probes: /healthz (the process runs) and /readyz (it can handle requests). They need no key and any Host. */

import { withTimeout } from "../core/with-timeout.ts";
import type { Service } from "../db/service.ts";
import { pingDatabase } from "../observability/queries.ts";

/** The timeout of the database check, ms. Probes usually wait only a few seconds. */
const DATABASE_TIMEOUT_MS = 2000;

/** The response of a system endpoint: JSON, unless the headers name another type. */
export interface SystemResponse {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The checks of the two paths. They never throw. */
export interface Health {
  checkLiveness(): Promise<SystemResponse>;
  checkReadiness(): Promise<SystemResponse>;
}

export function createHealth(service: Service): Health {
  // Concurrent probes share one query.
  let pendingPing: Promise<boolean> | null = null;
  const isDatabaseAvailable = () => {
    pendingPing ??= withTimeout(DATABASE_TIMEOUT_MS, pingDatabase(service.store.readDb))
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        pendingPing = null;
      });
    return pendingPing;
  };
  return {
    checkLiveness: async () => answer(200, { status: "ok" }),
    async checkReadiness() {
      if (service.draining.aborted) return respondUnready("stopping");
      return (await isDatabaseAvailable()) ? answer(200, { status: "ok" }) : respondUnready("database");
    },
  };
}

const answer = (status: number, body: Readonly<Record<string, string>>): SystemResponse => ({
  status,
  text: JSON.stringify(body),
  headers: { "cache-control": "no-store" },
});
const respondUnready = (reason: string) => answer(503, { status: "unready", reason });
