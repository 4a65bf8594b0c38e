/** Waits until a build has the testers that a gate needs, and all its sessions are analysed. */
import type { GateConfig } from "../../../gate/config.ts";
import { testersTaken } from "../../../gate/doubts.ts";
import { countOf } from "../../../render/gate/words.ts";
import type { Context } from "../../context.ts";
import { checkOthers, isMissing, settle, type Wanted } from "./asked.ts";
import { type Asked, type Found, type GateClient, lookUp, unfinishedOf } from "./look-up.ts";

/** Between two looks, ms: with four to six requests a look it stays well below the limit of requests a minute. */
const INTERVAL = 15_000;

export interface Seen {
  readonly asked: Asked;
  readonly found: Found;
  /** Sessions of b that are not analysed yet. */
  readonly unfinished: number;
}

/** One look at both builds, at `now`. Throws `not_found` naming what is missing. */
export async function look(
  client: GateClient,
  wanted: Wanted,
  config: GateConfig,
  now: number,
): Promise<Seen> {
  const asked = await settle(client, wanted, now);
  const found = await lookUp(client, asked, config);
  return { asked, found, unfinished: await unfinishedOf(client, asked) };
}

/** Looks until b is ready or `waitMs` have passed, then answers what there is. A build that is not there yet may come. */
export async function awaitBuild(
  context: Context,
  client: GateClient,
  wanted: Wanted,
  config: GateConfig,
  waitMs: number,
): Promise<Seen> {
  const { io } = context;
  const until = io.now() + waitMs;
  const least = testersTaken(config);
  // Words are settled by the first look that finds b: a build that comes later is not what was waited for.
  let target = wanted;
  for (;;) {
    const now = io.now();
    const left = until - now;
    const seen = await (left > 0 ? lookIfThere : look)(client, target, config, now);
    if (seen && (left <= 0 || (seen.found.b.testers >= least && seen.unfinished === 0))) return seen;
    if (seen) target = seen.asked;
    const state = seen
      ? `${seen.found.b.testers} of ${countOf(least, "tester")}, ${countOf(seen.unfinished, "session")} still to be analysed`
      : "not there yet";
    const line = `Waiting for ${target.b}: ${state}; ${timeLeft(left)} left`;
    await (io.err.isTTY ? context.progress(line) : context.notify(line));
    await io.sleep(Math.min(INTERVAL, left), io.signal);
  }
}

/** Seconds where they are few, else minutes. */
function timeLeft(ms: number): string {
  return ms < 120_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Null where b is not there yet. Throws what never comes. */
async function lookIfThere(
  client: GateClient,
  wanted: Wanted,
  config: GateConfig,
  now: number,
): Promise<Seen | null> {
  try {
    return await look(client, wanted, config, now);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await checkOthers(client, wanted, now);
    return null;
  }
}
