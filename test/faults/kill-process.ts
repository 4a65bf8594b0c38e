/** Kills a process after some time, or when it changes a folder. */
import { watch } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { playtest } from "../cli/program.ts";

/** After `ms` milliseconds, or at the change number `event` (from 1) in a folder. */
export type Moment = { readonly ms: number } | { readonly folder: string; readonly event: number };

/** Kills a process at the given moment, unless it exits earlier, and returns its result. */
export async function killAt(child: ReturnType<typeof playtest>, moment: Moment) {
  if ("ms" in moment) {
    await sleep(moment.ms);
    child.kill("SIGKILL");
    return await child;
  }
  let events = 0;
  const watcher = watch(moment.folder, () => {
    events += 1;
    if (events >= moment.event) child.kill("SIGKILL");
  });
  const result = await child;
  watcher.close();
  return result;
}
