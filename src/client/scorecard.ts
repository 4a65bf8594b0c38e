/** Reads the scorecard of two builds, from a service that computes it or from the facts of both builds. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { getBuildFacts } from "../contract/build-facts.ts";
import { type BuildsScorecard, getScorecard } from "../contract/scorecard.ts";
import { compareBuildFacts } from "../scorecard/build-scorecard.ts";
import { writeOptions } from "../scorecard/options.ts";
import type { ScorecardOptions } from "../scorecard/scorecard.ts";
import { runStepsInTurns } from "../statistics/steps.ts";
import { announces } from "./announced.ts";
import { type ReadFactsPage, readAllFacts } from "./build-facts.ts";
import { type ClientOptions, callEndpoint } from "./client.ts";

/** Two builds of a game in an environment. */
export interface ComparedBuilds {
  readonly game: string;
  readonly a: string;
  readonly b: string;
  readonly env?: string | undefined;
}

/**
 * The scorecard of two builds; null if the service has only the API document. One request if the service computes it,
 * otherwise one for each page of facts. Throws ClientError.
 */
export async function readScorecard(
  client: ClientOptions,
  builds: ComparedBuilds,
  options: ScorecardOptions,
): Promise<BuildsScorecard | null> {
  if (await announces(client, getScorecard.name))
    return await callEndpoint(getScorecard, { ...builds, ...writeOptions(options) }, client);
  if (!(await announces(client, getBuildFacts.name))) return null;
  const { a, b, ...scope } = builds;
  const readPage: ReadFactsPage = (input) => callEndpoint(getBuildFacts, input, client);
  const before = await readAllFacts(readPage, { ...scope, version: a });
  const after = a === b ? before : await readAllFacts(readPage, { ...scope, version: b });
  const { game, environment } = after;
  return {
    game,
    environment,
    ...(await runStepsInTurns(compareBuildFacts(before, after, options), nextTurn)),
  };
}
