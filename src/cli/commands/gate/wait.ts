/** Waits until a build has enough testers for the gate and all of its sessions are analyzed. */
import type { GateRules } from "../../../gate/config.ts";
import { requiredTesters } from "../../../gate/config.ts";
import { formatCount } from "../../../render/numbers.ts";
import { formatName } from "../../../shared/similar-names.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { translateError } from "../../translate-error.ts";
import { comparisonEndpoints } from "../builds/endpoints.ts";
import { fetchComparison, type GateClient, type GateComparison, type GateQuery } from "./comparison.ts";
import { checkBaselineExists, isNotFound, resolveGateQuery } from "./gate-query.ts";
import { readUnplayed } from "./unplayed.ts";

/** With three to five requests per poll, this stays well below the rate limit. */
const POLL_INTERVAL_MS = 15_000;

/** A log repeats an unchanged state this often. */
const REPEAT_INTERVAL_MS = 5 * 60_000;

export interface GateSnapshot {
  readonly query: GateQuery;
  readonly comparison: GateComparison;
  /** Whether b has sessions. */
  readonly isPlayed: boolean;
}

/** Requests the current state of both builds. Build b may have no sessions. Throws `not_found` with the name of what else is missing. */
export async function takeSnapshot(
  client: GateClient,
  unresolved: GateQuery,
  config: GateRules,
  now: number,
): Promise<GateSnapshot> {
  const options = { now, minTesters: requiredTesters(config) };
  try {
    const query = await resolveGateQuery(client, unresolved, options);
    return { query, comparison: await fetchComparison(client, query, config), isPlayed: true };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return { ...(await readUnplayed(client, unresolved, config, options, error)), isPlayed: false };
  }
}

/** Polls until b is ready or `waitMs` have passed, and returns the last state. Build b may appear during the wait. */
export async function waitForBuild(
  context: Context,
  unresolved: GateQuery,
  config: GateRules,
  waitMs: number,
): Promise<GateSnapshot> {
  const { io } = context;
  const deadline = io.monotonicNow() + waitMs;
  // Waiting for a rate limit is part of the wait.
  const client: GateClient = await context.client(comparisonEndpoints, { keepAlive: true, deadline });
  const required = requiredTesters(config);
  await context.notify(describeGoal(unresolved, required, waitMs));
  const report = createProgressReport(context);
  // `latest` and `previous` are resolved only once, so a build that appears later does not change what is compared.
  let target = unresolved;
  let last: GateSnapshot | null = null;
  for (;;) {
    const now = io.now();
    const remainingMs = deadline - io.monotonicNow();
    const snapshot =
      remainingMs > 0
        ? await takeSnapshotIfPossible(context, client, target, config)
        : await takeSnapshot(client, target, config, now).catch((error: unknown) => {
            if (last !== null && isTransient(error, context)) return last;
            throw explainMissedBuild(error, target, waitMs);
          });
    const taken = typeof snapshot === "string" ? null : snapshot;
    if (taken && (remainingMs <= 0 || isReady(taken, required))) return taken;
    last = taken ?? last;
    if (taken?.isPlayed) target = taken.query;
    const state = taken ? describeProgress(taken, required) : snapshot;
    await report(`Waiting for ${target.b}: ${state}`, remainingMs);
    await io.interruptible(() => io.sleep(Math.min(POLL_INTERVAL_MS, remainingMs), io.signal));
  }
}

/** What the gate waits for, and for how long. */
function describeGoal({ game, env = "production", b }: GateQuery, required: number, waitMs: number) {
  const where = env === "all" ? "all environments" : env;
  return `Waiting up to ${formatTimeLeft(waitMs)} for build ${b} of ${game}: at least ${formatCount(required, "tester")} in ${where}, and all of its sessions analyzed`;
}

/** Shows the progress at a terminal. In a log, a state is only repeated every few minutes. */
function createProgressReport(context: Context) {
  const { io } = context;
  let last = "";
  let lastAt = 0;
  return async (state: string, remainingMs: number) => {
    const line = `${state}; ${formatTimeLeft(remainingMs)} left`;
    if (io.err.isTTY) return await context.progress(line);
    if (state === last && io.monotonicNow() - lastAt < REPEAT_INTERVAL_MS) return;
    [last, lastAt] = [state, io.monotonicNow()];
    await context.notify(line);
  };
}

/** Adds to the error of a build that did not appear how long the gate waited. Returns any other error unchanged. */
function explainMissedBuild(error: unknown, { b }: GateQuery, waitMs: number): unknown {
  const known = translateError(error);
  if (known?.code !== "not_found" || !known.message.includes(formatName(b))) return error;
  const { message, status, requestId } = known;
  return fail("not_found", {
    message: `${message} after waiting ${formatTimeLeft(waitMs)}`,
    hint: "Check that the game sends this version as gameVersion (docs/guide/send-telemetry.md), or increase --wait.",
    status,
    requestId,
    cause: error,
  });
}

const isReady = ({ comparison }: GateSnapshot, required: number) =>
  comparison.b.testers >= required && comparison.unfinished === 0;

function describeProgress({ comparison, isPlayed }: GateSnapshot, required: number): string {
  if (!isPlayed) return "no sessions yet";
  const testers = `${formatCount(comparison.b.testers, "tester")} (${required} required)`;
  const { unfinished } = comparison;
  const analyzed =
    unfinished === 0 ? "all sessions analyzed" : `${formatCount(unfinished, "session")} not analyzed yet`;
  return `${testers}, ${analyzed}`;
}

/** In seconds below 2 minutes, otherwise in minutes. */
function formatTimeLeft(ms: number): string {
  return ms < 120_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Errors that may be over at the next look, such as while the service restarts. */
const transientCodes: ReadonlySet<string> = new Set([
  ...["network", "timeout", "rate_limited", "internal", "unavailable", "storage_full"],
]);

const isTransient = (error: unknown, { hasAnswer }: Context): boolean => {
  const known = translateError(error);
  if (known === null) return false;
  // A proxy answers with a page of its own while the service behind it is deployed.
  const isFromProxy = known.code === "contract" && known.status === 404;
  return transientCodes.has(known.code) || (isFromProxy && hasAnswer);
};

/** The state, or why there is none yet: b does not exist, or the service does not answer. Throws all other errors. */
async function takeSnapshotIfPossible(
  context: Context,
  client: GateClient,
  unresolved: GateQuery,
  config: GateRules,
): Promise<GateSnapshot | string> {
  const now = context.io.now();
  try {
    return await takeSnapshot(client, unresolved, config, now).catch(async (error: unknown) => {
      if (!isNotFound(error)) throw error;
      await checkBaselineExists(client, unresolved, { now, minTesters: requiredTesters(config) });
      return "no sessions yet";
    });
  } catch (error) {
    if (!isTransient(error, context)) throw error;
    return `no answer of the service (${(error as Error).message})`;
  }
}
