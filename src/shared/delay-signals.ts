/** Keeps signals from ending the process between steps that belong together. */
import { handlePendingSignals } from "./sleep.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs work to its end even if a signal arrives meanwhile. The signal then ends the process, unless it has other handlers. */
export async function delaySignals<T>(work: () => Promise<T>): Promise<T> {
  const received = new Set<NodeJS.Signals>();
  const note = (name: NodeJS.Signals) => received.add(name);
  for (const name of SIGNALS) process.on(name, note);
  try {
    return await work();
  } finally {
    await handlePendingSignals();
    for (const name of SIGNALS) process.off(name, note);
    for (const name of received) if (process.listenerCount(name) === 0) process.kill(process.pid, name);
  }
}
