/** Kills a process at a moment of its run, or with something that it does to a folder. */
import { watch } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { playtest } from "../cli/program.ts";

/** After so long, or with the nth thing that happens in a folder. */
export type Moment = { readonly ms: number } | { readonly folder: string; readonly event: number };

/** Lets a run go on until the moment, kills it, and answers how it ended: by itself where that came first. */
export async function killedAt(child: ReturnType<typeof playtest>, when: Moment) {
  if ("ms" in when) {
    await sleep(when.ms);
    child.kill("SIGKILL");
    return await child;
  }
  let events = 0;
  const watcher = watch(when.folder, () => {
    events += 1;
    if (events >= when.event) child.kill("SIGKILL");
  });
  const ended = await child;
  watcher.close();
  return ended;
}
