/** The end of a request that goes on and on: a service that sends a byte a second is never silent, and never done. */
import { sleep } from "../shared/sleep.ts";
import { deadlineError } from "./network-errors.ts";

/** A whole request may take so many times the longest silence: minutes, where that is half of one. */
export const DEADLINE_FACTOR = 10;

/** Runs a request; its signal ends with the one given, or once it is too late. Without a longest silence that is never. */
export async function withDeadline<T>(
  url: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const done = new AbortController();
  const stop = () => ending.abort(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  const late = () => ending.abort(deadlineError(url, timeoutMs * DEADLINE_FACTOR));
  if (timeoutMs > 0) sleep(timeoutMs * DEADLINE_FACTOR, done.signal).then(late, () => {});
  try {
    return await request(ending.signal);
  } finally {
    done.abort();
    signal?.removeEventListener("abort", stop);
  }
}
