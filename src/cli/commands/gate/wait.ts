/** Waits until a build has enough testers for the gate and all of its sessions are analyzed. */
import type { GateConfig } from "../../../gate/config.ts";
import { requiredTesters } from "../../../gate/inconclusive.ts";
import { formatCount } from "../../../render/numbers.ts";
import type { Context } from "../../context.ts";
import {
  countUnfinished,
  fetchComparison,
  type GateClient,
  type GateComparison,
  type GateQuery,
} from "./comparison.ts";
import { checkBaselineExists, isNotFound, resolveGateQuery, type UnresolvedGateQuery } from "./gate-query.ts";

/** With four to six requests per poll, this stays well below the rate limit. */
const POLL_INTERVAL_MS = 15_000;

export interface GateSnapshot {
  readonly query: GateQuery;
  readonly comparison: GateComparison;
  /** Number of sessions of b that are not analyzed yet. */
  readonly unfinished: number;
}

/** Requests the current state of both builds. Throws `not_found` with the name of what is missing. */
export async function takeSnapshot(
  client: GateClient,
  unresolved: UnresolvedGateQuery,
  config: GateConfig,
  now: number,
): Promise<GateSnapshot> {
  const query = await resolveGateQuery(client, unresolved, now);
  const comparison = await fetchComparison(client, query, config);
  return { query, comparison, unfinished: await countUnfinished(client, query) };
}

/** Polls until b is ready or `waitMs` have passed, and returns the last state. Build b may appear during the wait. */
export async function waitForBuild(
  context: Context,
  client: GateClient,
  unresolved: UnresolvedGateQuery,
  config: GateConfig,
  waitMs: number,
): Promise<GateSnapshot> {
  const { io } = context;
  const deadline = io.monotonicNow() + waitMs;
  const required = requiredTesters(config);
  // `latest` and `previous` are resolved only once, so a build that appears later does not change what is compared.
  let target = unresolved;
  for (;;) {
    const now = io.now();
    const remainingMs = deadline - io.monotonicNow();
    const takeCurrent = remainingMs > 0 ? takeSnapshotIfFound : takeSnapshot;
    const snapshot = await takeCurrent(client, target, config, now);
    if (snapshot && (remainingMs <= 0 || isReady(snapshot, required))) return snapshot;
    if (snapshot) target = snapshot.query;
    const state = snapshot ? describeProgress(snapshot, required) : "no sessions yet";
    const line = `Waiting for ${target.b}: ${state}; ${formatTimeLeft(remainingMs)} left`;
    await (io.err.isTTY ? context.progress(line) : context.notify(line));
    await io.sleep(Math.min(POLL_INTERVAL_MS, remainingMs), io.signal);
  }
}

const isReady = ({ comparison, unfinished }: GateSnapshot, required: number) =>
  comparison.b.testers >= required && unfinished === 0;

function describeProgress({ comparison, unfinished }: GateSnapshot, required: number): string {
  const testers = `${formatCount(comparison.b.testers, "tester")} (${required} required)`;
  const analyzed =
    unfinished === 0 ? "all sessions analyzed" : `${formatCount(unfinished, "session")} not analyzed yet`;
  return `${testers}, ${analyzed}`;
}

/** Says how many sessions of a build are not analyzed yet. */
export function describeUnanalyzed(count: number, version: string): string {
  return `${formatCount(count, "session")} of ${version} ${count === 1 ? "is" : "are"} not analyzed yet`;
}

/** In seconds below 2 minutes, otherwise in minutes. */
function formatTimeLeft(ms: number): string {
  return ms < 120_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Null while b does not exist. Throws `not_found` for anything else that is missing. */
async function takeSnapshotIfFound(
  client: GateClient,
  unresolved: UnresolvedGateQuery,
  config: GateConfig,
  now: number,
): Promise<GateSnapshot | null> {
  try {
    return await takeSnapshot(client, unresolved, config, now);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await checkBaselineExists(client, unresolved, now);
    return null;
  }
}
