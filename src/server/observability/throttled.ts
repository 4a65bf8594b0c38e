/** Faults that pass are told once and then now and then: a disk that fails does so for every request, thousands a second. */
import type { Dependencies } from "../core/dependencies.ts";

/** How long a fault that was told is only counted, ms. */
const THROTTLE_MS = 60_000;
/** So many kinds of faults are told apart; where there are more, all are told anew. */
const MAX_KINDS = 100;

interface ThrottledFault {
  /** Unix ms. */
  readonly at: number;
  /** How often it has occurred since. */
  suppressed: number;
}

/** A `report` that tells faults of the same words once a minute, and how many requests have met them meanwhile. */
export function throttled({ now, report }: Pick<Dependencies, "now" | "report">): Dependencies["report"] {
  const byWords = new Map<string, ThrottledFault>();
  return (message, error, requestId) => {
    const words = String((error as Error | null)?.message ?? error);
    const told = byWords.get(words);
    if (told && now() < told.at + THROTTLE_MS) {
      told.suppressed += 1;
      return;
    }
    if (byWords.size >= MAX_KINDS) byWords.clear();
    byWords.set(words, { at: now(), suppressed: 0 });
    report(
      told?.suppressed ? `${message}, and ${told.suppressed} more since it was last told` : message,
      error,
      requestId,
    );
  };
}
