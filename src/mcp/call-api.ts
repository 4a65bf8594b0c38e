/** Calls the API for tools and resources, within a deadline. */
import { announces, type ClientOptions, callEndpoint } from "../client/client.ts";
import { ClientError } from "../client/errors.ts";
import { readComparison } from "../client/scorecard.ts";
import { getBuildFacts } from "../contract/build-facts.ts";
import type { BuildComparison } from "../contract/builds.ts";
import type { Endpoint, Output } from "../contract/define.ts";
import type { Heatmap } from "../contract/heatmaps.ts";
import { getScorecard, type PairComparison } from "../contract/scorecard.ts";
import { DEFAULT_OPTIONS } from "../scorecard/options.ts";
import type { Toolset } from "./toolsets.ts";

/** Settings that all calls of a server share. */
export interface CallOptions {
  /** How to reach the API. Each call replaces the signal and the waiting behavior with its own. */
  readonly client: ClientOptions;
  /** The maximum duration of one call in ms, including waits for the rate limit. */
  readonly deadlineMs: number;
  /** The maximum size of a result in characters, unless the call sets `max_chars`. */
  readonly maxChars: number;
  /** The sets of tools that are available in addition to the default. */
  readonly toolsets: readonly Toolset[];
  /** Draws a heatmap as PNG; null if this server cannot draw images. */
  readonly drawHeatmap: ((heatmap: Heatmap) => Promise<Uint8Array>) | null;
  /** The current time in unix ms, which ages such as `7d` are relative to. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock, for idle times and the age of cached names. */
  readonly monotonicNow: () => number;
  /** Reports errors that did not come from the service, which are bugs in this program. */
  readonly report: (message: string, error: unknown) => void;
}

/** The protocol's side of one call. */
export interface CallContext {
  /** Aborted when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** Sends the client a progress message; null if the client did not request progress. */
  readonly progress: ((message: string) => Promise<void>) | null;
}

/** How often a waiting call sends progress, ms. Clients time out calls that send nothing. */
const PROGRESS_INTERVAL_MS = 5000;

/** The maximum number of testers of two compared builds whose play is read: about ten requests. */
const MAX_READ_TESTERS = 10_000;

/** The default deadline of a call, ms. It is below 60 s, a common timeout of clients. */
export const DEFAULT_DEADLINE_MS = 50_000;

/** Calls the API. Waits and retries at its rate limit if the wait ends before the deadline. */
export async function callApi<E extends Endpoint>(
  endpoint: E,
  input: Record<string, unknown>,
  { client, deadlineMs }: Pick<CallOptions, "client" | "deadlineMs">,
  { signal, progress }: CallContext,
): Promise<Output<E>> {
  return await withDeadline(deadlineMs, signal, (limited) =>
    callEndpoint(endpoint, input, {
      ...client,
      signal: limited,
      timeoutMs: Math.min(client.timeoutMs, deadlineMs),
      maxWaitMs: deadlineMs,
      waiting: reportWaits(client.waiting, progress),
    }),
  );
}

/** Adds the scorecard to the response of a comparison, if the builds have few enough testers to be read within the deadline. */
export async function readPairComparison(
  response: unknown,
  { game, env }: Record<string, unknown>,
  options: CallOptions,
  context: CallContext,
): Promise<PairComparison> {
  const compared = response as BuildComparison;
  const call =
    <E extends Endpoint>(endpoint: E) =>
    (input: Record<string, unknown>) =>
      callApi(endpoint, input, options, context);
  const calls = {
    announces: (name: string) => announces(options.client, name),
    compareBuilds: async () => compared,
    getScorecard: call(getScorecard),
    getBuildFacts: call(getBuildFacts),
  };
  const builds = { game: String(game), a: compared.buildA.version, b: compared.buildB.version };
  const scope = env === undefined ? builds : { ...builds, env: String(env) };
  return await readComparison(calls, scope, DEFAULT_OPTIONS, MAX_READ_TESTERS);
}

/** Runs a task whose signal is aborted with `signal`, or with an error after `deadlineMs`. */
export async function withDeadline<T>(
  deadlineMs: number,
  signal: AbortSignal,
  run: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(deadlineError(deadlineMs)), deadlineMs);
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

function deadlineError(deadlineMs: number): ClientError {
  return new ClientError("timeout", `The call took longer than ${deadlineMs / 1000} s`);
}

/** Adds progress messages to waits: the reason and the remaining time. */
function reportWaits(
  waiting: ClientOptions["waiting"],
  sendProgress: CallContext["progress"],
): ClientOptions["waiting"] {
  if (sendProgress === null) return waiting;
  let currentReason = "Waiting";
  return {
    random: () => waiting.random(),
    onWait(reason, ms) {
      currentReason = reason;
      waiting.onWait(reason, ms);
    },
    async sleep(ms, signal) {
      for (let remaining = ms; remaining > 0; remaining -= PROGRESS_INTERVAL_MS) {
        await sendProgress(`${currentReason}. Retrying in ${Math.ceil(remaining / 1000)} s`);
        await waiting.sleep(Math.min(remaining, PROGRESS_INTERVAL_MS), signal);
      }
    },
  };
}
