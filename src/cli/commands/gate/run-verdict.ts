/** The verdict about scripted runs: each run counts as a tester of the build. */
import type { AnnouncingClient } from "../../../client/client.ts";
import { readOptionalFacts } from "../../../client/scorecard.ts";
import { getGame } from "../../../contract/games.ts";
import { judgeWithEvidence } from "../../../gate/evidence.ts";
import type { GateVerdict } from "../../../gate/verdict.ts";
import { formatCount } from "../../../render/numbers.ts";
import type { ReadFacts } from "../../../scorecard/facts.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { comparisonEndpoints } from "../builds/endpoints.ts";
import { type GateComparison, toGateInput } from "./comparison.ts";
import { isNotFound } from "./gate-query.ts";
import { checkRuns } from "./run-findings.ts";
import type { GameRun } from "./run-game.ts";
import type { RunPlan } from "./run-plan.ts";
import { RUN_ENVIRONMENT, type RunTelemetry } from "./run-sessions.ts";
import { describeAlone, describeUnplayed } from "./unplayed.ts";
import { takeSnapshot } from "./wait.ts";

/** With fewer runs, only large differences can fail. */
const ENOUGH_RUNS = 20;
/** What the reports call a missing baseline. */
const NO_BASELINE = "no baseline";

interface PlayedRuns {
  /** What was known about the build before the runs; null if nobody had played it. */
  readonly earlier: ReadFacts | null;
  readonly runs: readonly GameRun[];
  readonly telemetry: RunTelemetry;
}

export interface JudgedRuns {
  readonly verdict: GateVerdict;
  /** What the runs of the build did; null if none sent a session. */
  readonly facts: ReadFacts | null;
}

export async function judgePlayedRuns(
  context: Context,
  plan: RunPlan,
  { earlier, runs, telemetry }: PlayedRuns,
): Promise<JudgedRuns> {
  const { baseline, config, expectations, maxFailed } = plan;
  const now = context.io.now();
  const { counts } = telemetry;
  const isPlayed = counts.some((count) => count !== null);
  const read = isPlayed ? await readPlayed(context, plan) : null;
  const query = { ...toQuery(plan), a: baseline ?? NO_BASELINE };
  const comparison = read?.comparison ?? describeUnplayed(query, config);
  const known = new Set(earlier?.group.testers.map(({ tester }) => tester));
  const testers = (read?.facts.group.testers ?? []).filter(({ tester }) => !known.has(tester));
  const hasBaseline = baseline !== null;
  const input = await toGateInput(comparison, config, now);
  const findings = checkRuns({ runs, counts, testers, expectations, maxFailed });
  const notes = [
    ...input.notes,
    ...describeRuns(comparison, counts.filter((count) => count !== null).length, hasBaseline),
    ...(telemetry.reason === null ? [] : [telemetry.reason]),
  ];
  const verdict = judgeWithEvidence({ ...input, notes, scripted: { findings, hasBaseline } });
  return { verdict, facts: read?.facts ?? null };
}

/** What judging runs requests from the service. */
export const runEndpoints = { ...comparisonEndpoints, getGame };

type RunClient = AnnouncingClient<typeof runEndpoints>;

const toQuery = ({ game, build }: RunPlan) => ({ game, env: RUN_ENVIRONMENT, b: build });

/** What the service knows about a build with sessions. */
async function readPlayed(
  context: Context,
  plan: RunPlan,
): Promise<{ readonly facts: ReadFacts; readonly comparison: GateComparison }> {
  const { game, baseline, config } = plan;
  const client = await context.client(runEndpoints, { keepAlive: true });
  const read = await readRunFacts(client, plan);
  if (baseline === null) {
    const { slug } = (await client.getGame({ id: game })).game;
    const alone = describeAlone({ ...toQuery(plan), game: slug, a: NO_BASELINE }, read, config);
    return { facts: read, comparison: alone };
  }
  const query = { ...toQuery(plan), a: baseline };
  const { comparison } = await takeSnapshot(client, query, config, context.io.now());
  return { facts: read, comparison };
}

/** What the runs of the build did, before those of this command; null if there are none. */
export const readEarlierRuns = async (client: RunClient, plan: RunPlan): Promise<ReadFacts | null> =>
  await readRunFacts(client, plan).catch((error: unknown) => {
    if (isNotFound(error)) return null;
    throw error;
  });

/** Throws `unsupported` if the service does not report it. */
async function readRunFacts(client: RunClient, { game, build: version }: RunPlan): Promise<ReadFacts> {
  const read = await readOptionalFacts(client, { game, version, env: RUN_ENVIRONMENT });
  if (typeof read !== "string") return read;
  throw fail("unsupported", {
    message: "This service does not report what each tester did, so runs cannot be judged",
    hint: "Use --temporary.",
  });
}

/** What the numbers can show. */
function describeRuns({ a, b }: GateComparison, sent: number, hasBaseline: boolean): string[] {
  const earlier = b.testers - sent;
  return [
    ...(earlier > 0 ? [`${formatCount(earlier, "earlier run")} of ${b.version} counted, too.`] : []),
    ...(hasBaseline
      ? describePower(a.testers, b.testers)
      : ["Nothing was compared, because no baseline was given (--against)."]),
  ];
}

function describePower(before: number, after: number): string[] {
  if (Math.min(before, after) >= ENOUGH_RUNS) return [];
  return [
    `${before} and ${after} runs are few: a comparison only fails if nearly all runs are worse. Smaller changes need about ${ENOUGH_RUNS} runs of each build.`,
  ];
}
