/** Limits the total time of a request. The idle timeout alone never ends a response that arrives one byte at a time. */
import { sleep } from "../shared/sleep.ts";
import { deadlineError } from "./network-errors.ts";

/** A whole request may take this many times the idle timeout. */
export const DEADLINE_FACTOR = 10;

/** Runs a request whose signal is aborted at the deadline or with the given signal. Without an idle timeout there is no deadline. */
export async function withDeadline<T>(
  url: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const abort = new AbortController();
  const done = new AbortController();
  const stop = () => abort.abort(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  const timeOut = () => abort.abort(deadlineError(url, timeoutMs * DEADLINE_FACTOR));
  if (timeoutMs > 0) sleep(timeoutMs * DEADLINE_FACTOR, done.signal).then(timeOut, () => {});
  try {
    return await request(abort.signal);
  } finally {
    done.abort();
    signal?.removeEventListener("abort", stop);
  }
}
