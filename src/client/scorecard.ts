/** Compares two builds, with the scorecard that the service computes, or that of the facts of both builds. */
import { getBuildFacts } from "../contract/build-facts.ts";
import type { BuildComparison, compareBuilds } from "../contract/builds.ts";
import type { Input } from "../contract/define.ts";
import {
  type BuildsScorecard,
  getScorecard,
  type PairComparison,
  type UnknownFacts,
} from "../contract/scorecard.ts";
import { compareBuildFacts } from "../scorecard/build-scorecard.ts";
import type { ReadFacts } from "../scorecard/facts.ts";
import { writeOptions } from "../scorecard/options.ts";
import type { ScorecardOptions } from "../scorecard/scorecard.ts";
import { type ReadFactsPage, readBuildFacts } from "./build-facts.ts";
import { ClientError, type ClientErrorCode } from "./errors.ts";

/** How a caller reaches the service. */
export interface ScorecardCalls {
  /** Whether the service announces an extension. */
  announces(name: string): Promise<boolean>;
  compareBuilds(input: Input<typeof compareBuilds>): Promise<BuildComparison>;
  getScorecard(input: Input<typeof getScorecard>): Promise<BuildsScorecard>;
  readonly getBuildFacts: ReadFactsPage;
}

/** Two builds of a game in an environment. */
export interface BuildPair {
  readonly game: string;
  readonly a: string;
  readonly b: string;
  readonly env?: string | undefined;
}

/**
 * Compares two builds in one request to a service that computes the scorecard. Otherwise, requests the comparison of the API
 * document, and if the service announces facts, each page of them; not if the builds have more than `maxTesters` together.
 * Throws ClientError.
 */
export async function readComparison(
  calls: ScorecardCalls,
  builds: BuildPair,
  options: ScorecardOptions,
  maxTesters = Number.POSITIVE_INFINITY,
): Promise<PairComparison> {
  if (await calls.announces(getScorecard.name)) {
    const answer = await orReason(() => calls.getScorecard({ ...builds, ...writeOptions(options) }));
    if (typeof answer !== "string") return toPairComparison(answer);
    return await readDiff(calls, builds, async () => answer);
  }
  return await readDiff(calls, builds, async ({ buildA, buildB }) => {
    if (buildA.testersInBatch + buildB.testersInBatch > maxTesters) return "too-many";
    const facts = await readPairFacts(calls, builds);
    if (typeof facts === "string") return facts;
    return compareBuildFacts(facts.a, facts.b, options);
  });
}

const toPairComparison = ({
  game,
  environment,
  testersInBatch,
  changes,
  evidence,
  ...scorecard
}: BuildsScorecard): PairComparison => ({
  ...{ game, environment, changes, evidence, scorecard },
  a: { version: scorecard.a.version, testers: testersInBatch.a },
  b: { version: scorecard.b.version, testers: testersInBatch.b },
});

/** Compares two builds as the API document does, and adds a scorecard. */
export async function readDiff(
  calls: Pick<ScorecardCalls, "compareBuilds">,
  builds: BuildPair,
  readScorecard: (compared: BuildComparison) => Promise<PairComparison["scorecard"]>,
): Promise<PairComparison> {
  const compared = await calls.compareBuilds(builds);
  const { game, environment, buildA, buildB, diff } = compared;
  return {
    ...{ game, environment, changes: diff.changes, evidence: null },
    a: { version: buildA.version, testers: buildA.testersInBatch },
    b: { version: buildB.version, testers: buildB.testersInBatch },
    scorecard: await readScorecard(compared),
  };
}

type FactsCalls = Pick<ScorecardCalls, "announces" | "getBuildFacts">;

/** The facts of both builds, or why they are not known. */
export async function readPairFacts(
  calls: FactsCalls,
  { a, b, ...scope }: BuildPair,
): Promise<{ readonly a: ReadFacts; readonly b: ReadFacts } | UnknownFacts> {
  const before = await readOptionalFacts(calls, {
    ...{ ...scope, version: a },
    ...(a === b ? {} : { comparedWith: b }),
  });
  if (typeof before === "string") return before;
  const after = a === b ? before : await readOptionalFacts(calls, { ...scope, version: b });
  return typeof after === "string" ? after : { a: before, b: after };
}

/** The facts of a build, or why they are not known. */
export async function readOptionalFacts(
  { announces, getBuildFacts: readPage }: FactsCalls,
  build: Parameters<typeof readBuildFacts>[1],
): Promise<ReadFacts | UnknownFacts> {
  if (!(await announces(getBuildFacts.name))) return "unsupported";
  return await orReason(() => readBuildFacts(readPage, build));
}

/** Errors that leave the rest of a comparison usable. */
const reasons: Partial<Record<ClientErrorCode, UnknownFacts>> = {
  unsupported: "unsupported",
  forbidden: "forbidden",
  contract: "invalid",
};

async function orReason<T>(request: () => Promise<T>): Promise<T | UnknownFacts> {
  try {
    return await request();
  } catch (error) {
    const reason = error instanceof ClientError ? reasons[error.code] : undefined;
    if (reason === undefined) throw error;
    return reason;
  }
}
