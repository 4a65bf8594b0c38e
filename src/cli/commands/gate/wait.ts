/** Waits until a build has the testers that a gate needs, and all its sessions are analysed. */
import type { GateConfig } from "../../../gate/config.ts";
import { requiredTesters } from "../../../gate/inconclusive.ts";
import { formatCount } from "../../../render/gate/words.ts";
import type { Context } from "../../context.ts";
import {
  countUnfinished,
  fetchComparison,
  type GateClient,
  type GateComparison,
  type GateQuery,
} from "./comparison.ts";
import { checkBaselineExists, isNotFound, resolveGateQuery, type UnresolvedGateQuery } from "./gate-query.ts";

/** Between two looks, ms: with four to six requests a look it stays well below the limit of requests a minute. */
const POLL_INTERVAL_MS = 15_000;

export interface GateSnapshot {
  readonly query: GateQuery;
  readonly comparison: GateComparison;
  /** Sessions of b that are not analysed yet. */
  readonly unfinished: number;
}

/** One look at both builds, at `now`. Throws `not_found` naming what is missing. */
export async function takeSnapshot(
  client: GateClient,
  wanted: UnresolvedGateQuery,
  config: GateConfig,
  now: number,
): Promise<GateSnapshot> {
  const asked = await resolveGateQuery(client, wanted, now);
  const found = await fetchComparison(client, asked, config);
  return { query: asked, comparison: found, unfinished: await countUnfinished(client, asked) };
}

/** Looks until b is ready or `waitMs` have passed, then answers what there is. A build that is not there yet may come. */
export async function waitForBuild(
  context: Context,
  client: GateClient,
  wanted: UnresolvedGateQuery,
  config: GateConfig,
  waitMs: number,
): Promise<GateSnapshot> {
  const { io } = context;
  const until = io.now() + waitMs;
  const least = requiredTesters(config);
  // Words are settled by the first look that finds b: a build that comes later is not what was waited for.
  let target = wanted;
  for (;;) {
    const now = io.now();
    const left = until - now;
    const seen = await (left > 0 ? takeSnapshotIfFound : takeSnapshot)(client, target, config, now);
    if (seen && (left <= 0 || (seen.comparison.b.testers >= least && seen.unfinished === 0))) return seen;
    if (seen) target = seen.query;
    const state = seen
      ? `${seen.comparison.b.testers} of ${formatCount(least, "tester")}, ${formatCount(seen.unfinished, "session")} still to be analysed`
      : "not there yet";
    const line = `Waiting for ${target.b}: ${state}; ${formatTimeLeft(left)} left`;
    await (io.err.isTTY ? context.progress(line) : context.notify(line));
    await io.sleep(Math.min(POLL_INTERVAL_MS, left), io.signal);
  }
}

/** Seconds where they are few, else minutes. */
function formatTimeLeft(ms: number): string {
  return ms < 120_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Null where b is not there yet. Throws what never comes. */
async function takeSnapshotIfFound(
  client: GateClient,
  wanted: UnresolvedGateQuery,
  config: GateConfig,
  now: number,
): Promise<GateSnapshot | null> {
  try {
    return await takeSnapshot(client, wanted, config, now);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await checkBaselineExists(client, wanted, now);
    return null;
  }
}
