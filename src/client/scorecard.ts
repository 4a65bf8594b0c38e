/** Reads the scorecard of two builds, from a service that computes it or from the facts of both builds. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type BuildFacts, getBuildFacts, MAX_TESTER_PAGE } from "../contract/build-facts.ts";
import { type BuildsScorecard, getScorecard } from "../contract/scorecard.ts";
import { compareBuildFacts } from "../scorecard/build-scorecard.ts";
import { writeOptions } from "../scorecard/options.ts";
import type { ScorecardOptions } from "../scorecard/scorecard.ts";
import { runStepsInTurns } from "../statistics/steps.ts";
import { announces } from "./announced.ts";
import { type ClientOptions, callEndpoint } from "./client.ts";
import { readTesterPages } from "./tester-pages.ts";

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
  const before = await readBuildFacts(client, { ...scope, version: a });
  const after = a === b ? before : await readBuildFacts(client, { ...scope, version: b });
  const { game, environment } = after;
  return {
    game,
    environment,
    ...(await runStepsInTurns(compareBuildFacts(before, after, options), nextTurn)),
  };
}

interface BuildQuery {
  readonly game: string;
  readonly version: string;
  readonly env?: string | undefined;
}

/** Reads the facts of all testers of a build. Throws `contract` if the service reports more testers but returns none. */
export async function readBuildFacts(client: ClientOptions, build: BuildQuery): Promise<BuildFacts> {
  const pages = await readTesterPages((offset) =>
    callEndpoint(getBuildFacts, { ...build, limit: MAX_TESTER_PAGE, offset }, client),
  );
  const fields = new Map(pages.flatMap((page) => page.fields).map((field) => [field.field, field]));
  return {
    ...pages[0],
    testers: pages.flatMap(({ testers }) => testers),
    fields: [...fields.values()],
    hasMore: false,
  };
}
