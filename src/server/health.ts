/** /healthz and /readyz: whether the process lives, and whether it should be sent requests. Anyone may ask, by any name. */
import { within } from "./observe/within.ts";
import { touch } from "./queries/health.ts";
import type { Service } from "./service.ts";

/** How long the database may take to answer, ms: a probe waits a few seconds at most. */
const DATABASE_MS = 2000;

/** An answer of the two: its status, what it says, and `allow` where the method is none of theirs. */
export interface Health {
  readonly status: number;
  readonly body: Readonly<Record<string, string>>;
  readonly allow?: string;
}

/** Answers what a path asks about a service's health; null for every other path. Never throws. */
export type HealthSurface = (method: string, path: string) => Promise<Health> | null;

export function healthOf(service: Service): HealthSurface {
  // However many ask at once, the database is asked once.
  let asked: Promise<boolean> | null = null;
  const isAnswering = () => {
    asked ??= within(DATABASE_MS, touch(service.store.read))
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        asked = null;
      });
    return asked;
  };
  const answer = async (method: string, path: string): Promise<Health> => {
    if (method !== "GET" && method !== "HEAD")
      return { status: 405, body: { error: "Method not allowed" }, allow: "GET, HEAD" };
    if (path === "/healthz") return { status: 200, body: { status: "ok" } };
    if (service.draining.aborted) return unready("stopping");
    if (!(await isAnswering())) return unready("database");
    return { status: 200, body: { status: "ok" } };
  };
  return (method, path) => (path === "/healthz" || path === "/readyz" ? answer(method, path) : null);
}

const unready = (reason: string): Health => ({ status: 503, body: { status: "unready", reason } });
