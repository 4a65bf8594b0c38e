/** Work that a service repeats in the background, in passes of small steps. */
import { isStopping } from "../core/task-stopped.ts";
import type { Service } from "./service.ts";

export interface BackgroundPass {
  /** Starts regular passes, until `stop`. */
  start(): void;
  /** Runs one pass now. Throws the error of a failed step. */
  drain(): Promise<void>;
  /** Finishes the current step and stops. */
  stop(): Promise<void>;
}

interface BackgroundPassOptions {
  /** What the reports of failures call it. */
  readonly name: string;
  /** Pause between two passes, ms. */
  readonly pauseMs: number;
  /** Runs a pass. Ends it after the current step once `isStopped`. */
  run(isStopped: () => boolean): Promise<void>;
}

/** Creates work in the background. Several servers may run it on the same database. */
export function createBackgroundPass(
  service: Pick<Service, "report" | "integrity">,
  { name, pauseMs, run }: BackgroundPassOptions,
): BackgroundPass {
  let running: Promise<void> | null = null;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const drain = async () => {
    if (stopped || service.integrity.isDamaged) return;
    running ??= run(() => stopped).finally(() => {
      running = null;
    });
    await running;
  };
  const schedule = () => {
    if (stopped) return;
    timer = setTimeout(() => {
      void drain()
        .catch((error: unknown) => {
          if (!isStopping(error)) service.report(name, error);
        })
        .then(schedule);
    }, pauseMs);
    timer.unref();
  };
  return {
    start: schedule,
    drain,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      // A failed pass was already reported, or thrown to the caller of `drain`.
      await running?.catch(() => {});
    },
  };
}
