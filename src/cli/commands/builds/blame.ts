/** builds blame: the first build in which a friction tag rose, by the test of the gate. */

import type { Client } from "../../../client/client.ts";
import { readBuildHistory } from "../../../client/play-history.ts";
import * as history from "../../../contract/play-history.ts";
import * as trends from "../../../contract/trends.ts";
import { DEFAULT_TREND_BUILDS, MAX_TREND_BUILDS, type Trend } from "../../../contract/trends.ts";
import type { GateBuild } from "../../../gate/build-comparison.ts";
import { dropIncompleteHistory } from "../../../gate/complete-history.ts";
import { stepColumns } from "../../../render/tables/blame.ts";
import { command, createTable } from "../../command.ts";
import type { Context } from "../../context.ts";
import { integer, text } from "../../flags.ts";
import { readRules } from "../gate/rules.ts";

export const blameCommand = command({
  path: "builds blame",
  summary: "Find the first build in which a friction tag rose",
  details:
    "Compares each of the last builds with the one before it, and with the first one, in the order in which they were " +
    "played. An increase counts if the test of the gate confirms it: Fisher's exact test among the testers who could " +
    "meet the tag, corrected for the number of comparisons, and above the limit of the gate. The limit, the required " +
    "confidence and the minimum number of testers are those of playtest.config.json. Builds in which nobody could meet " +
    "the tag, such as those before its room existed, are left out. The exit code is 0 whatever the " +
    "result is.",
  args: [{ name: "<tag>", describe: "friction tag, such as difficulty-spike:furnace" }],
  flags: {
    env: text("--env <slug>", "environment, or `all` (default: production)"),
    last: integer("--last <n>", `number of builds (default: ${DEFAULT_TREND_BUILDS})`, 2, MAX_TREND_BUILDS),
  },
  examples: [
    "builds blame difficulty-spike:furnace --game ember",
    "builds blame difficulty-spike:furnace --game ember --json --jq .verdict",
  ],
  async run(context, { args: [tag = ""], flags: { env, last } }) {
    const rules = readRules(context, {});
    const client = await context.client({ ...trends, ...history });
    const game = await context.requireGame();
    const trend = await client.getTrend({ game, tag, env, last });
    const builds = await readBuilds(context, client, trend, { game, env });
    const { blameTag } = await import("../../../gate/blame.ts");
    const blame = blameTag(tag, builds, rules);
    const { describeBlame, blameView } = await import("./blame-view.ts");
    const { environment, title } = trend;
    const data = {
      ...{ game: trend.game, environment, tag, title },
      ...{ verdict: blame.verdict, build: blame.build, since: blame.since, newRoom: blame.newRoom },
      sentences: describeBlame(trend, blame),
      ...{ rule: blame.rule, noticedTesters: blame.noticedTesters },
      builds: trend.points,
      ...{ steps: blame.steps, skipped: blame.skipped },
    };
    return {
      data,
      table: createTable(blame.steps, stepColumns, data.sentences.join(" ")),
      items: blame.steps,
      view: (options) => blameView(trend, blame, options),
    };
  },
});

/** The builds of a trend with what their testers played. */
async function readBuilds(
  context: Context,
  client: Client<{ getBuildExposure: typeof history.getBuildExposure }>,
  { tag, points }: Trend,
  query: { readonly game: string; readonly env: string | undefined },
): Promise<GateBuild[]> {
  const builds: GateBuild[] = [];
  for (const { build: version, testers, sessions, withTag } of points) {
    await context.progress(`Reading testers: build ${builds.length + 1} of ${points.length}`);
    const byTag = new Map([[tag ?? "", { testers: withTag ?? 0, insights: 0 }]]);
    const known = { version, testers, sessions, byTag, stats: null };
    // A version that no request can contain is from a service that does not check its own data.
    if (!history.getBuildExposure.params.shape.version.safeParse(version).success) {
      builds.push({ ...known, history: null, analysisVersions: null });
      continue;
    }
    const played = await readBuildHistory((input) => client.getBuildExposure(input), { ...query, version });
    const build = { ...known, history: played.testers, analysisVersions: played.analysisVersions };
    builds.push(dropIncompleteHistory(build, [], "b"));
  }
  return builds;
}
