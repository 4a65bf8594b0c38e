/** Throttles reports of transient faults: a failing disk can fail thousands of requests per second with the same error. */
import type { Dependencies } from "../core/dependencies.ts";

/** How long repeats of a reported fault are only counted, ms. */
const THROTTLE_MS = 60_000;
/** Maximum number of distinct messages to remember. Beyond that, all are forgotten. */
const MAX_MESSAGES = 100;

interface ThrottledFault {
  /** Time of the last report, ms of the monotonic clock. */
  readonly reportedAt: number;
  /** Number of repeats since then. */
  suppressed: number;
}

/** A `report` function that reports errors with the same message once a minute, with the number of repeats in between. */
export function throttled({
  monotonicNow,
  report,
}: Pick<Dependencies, "monotonicNow" | "report">): Dependencies["report"] {
  const byMessage = new Map<string, ThrottledFault>();
  return (message, error, requestId) => {
    const errorMessage = String((error as Error | null)?.message ?? error);
    const last = byMessage.get(errorMessage);
    if (last && monotonicNow() < last.reportedAt + THROTTLE_MS) {
      last.suppressed += 1;
      return;
    }
    if (byMessage.size >= MAX_MESSAGES) byMessage.clear();
    byMessage.set(errorMessage, { reportedAt: monotonicNow(), suppressed: 0 });
    report(
      last?.suppressed ? `${message} (and ${last.suppressed} more since the last report)` : message,
      error,
      requestId,
    );
  };
}
