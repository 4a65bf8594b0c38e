/** builds blame: the first build in which a friction tag or another row rose, by the test of the gate. */
import { readBuildFacts } from "../../../client/build-facts.ts";
import type { Client } from "../../../client/client.ts";
import * as facts from "../../../contract/build-facts.ts";
import * as trends from "../../../contract/trends.ts";
import { DEFAULT_TREND_BUILDS, MAX_TREND_BUILDS, type Trend } from "../../../contract/trends.ts";
import type { BlamedBuild } from "../../../gate/blame.ts";
import { stepColumns } from "../../../render/tables/blame.ts";
import { parseRowId } from "../../../scorecard/figures.ts";
import { command, createTable } from "../../command.ts";
import type { Context } from "../../context.ts";
import { inEnvironment } from "../../default-environment.ts";
import { fail } from "../../errors.ts";
import { integer, text } from "../../flags.ts";
import { formatFlag } from "../../suggested-commands.ts";
import { readRules } from "../gate/rules.ts";

export const blameCommand = command({
  path: "builds blame",
  summary: "Find the first build in which a friction tag, quits or crashes rose",
  details:
    "Compares each of the last builds with the one before it, and with the first one, in the order in which they were " +
    "played. An increase counts if the test of the scorecard confirms it among the testers who could meet the tag, " +
    "corrected for the number of comparisons, and if it is above the limit of the gate. The limit, the required " +
    "confidence and the minimum number of testers are those of playtest.config.json. Builds in which nobody could meet " +
    "the tag, such as those before its room existed, are left out. The exit code is 0 whatever the " +
    "result is.",
  args: [{ name: "<tag>", describe: "friction tag such as difficulty-spike:furnace, quit:ROOM or crash" }],
  flags: {
    env: text("--env <slug>", "environment, or `all` (default: production)"),
    last: integer("--last <n>", `number of builds (default: ${DEFAULT_TREND_BUILDS})`, 2, MAX_TREND_BUILDS),
  },
  examples: [
    "builds blame difficulty-spike:furnace --game ember",
    "builds blame quit:furnace --game ember",
    "builds blame difficulty-spike:furnace --game ember --json --jq .verdict",
  ],
  async run(context, { args: [tag = ""], flags: { env, last } }) {
    requireRise(tag);
    const rules = readRules(context, {});
    const client = await context.client({ ...trends, ...facts });
    const game = await context.requireGame();
    const { trend, chosen } = await inEnvironment(
      context,
      env,
      async (chosen) => ({ trend: await client.getTrend({ game, tag, env: chosen, last }), chosen }),
      ({ trend: { points } }) => points.length === 0,
    );
    const builds = await readBuilds(context, client, trend, { game, env: chosen });
    const { blameRow } = await import("../../../gate/blame.ts");
    const id = trend.tag ?? trend.metric ?? tag;
    const blame = blameRow(id, builds, rules);
    const { describeBlame, blameView } = await import("./blame-view.ts");
    const { environment, title } = trend;
    const data = {
      ...{ game: trend.game, environment, tag: id, title },
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

/** Throws `usage` for a row of which more is not worse, such as a rating. */
function requireRise(id: string): void {
  const { metric } = parseRowId(id);
  if (metric.worse === "more" && metric.unit === "share") return;
  throw fail("usage", {
    message: `${JSON.stringify(id)} cannot rise for the worse`,
    hint: `Name a friction tag, quit:ROOM or crash, or see the builds with \`playtest builds trend${formatFlag("--tag", id)}\`.`,
  });
}

/** The builds of a trend with what their testers did. */
async function readBuilds(
  context: Context,
  client: Client<{ getBuildFacts: typeof facts.getBuildFacts }>,
  { points }: Trend,
  query: { readonly game: string; readonly env: string | undefined },
): Promise<BlamedBuild[]> {
  const builds: BlamedBuild[] = [];
  for (const { build: version } of points) {
    await context.progress(`Reading testers: build ${builds.length + 1} of ${points.length}`);
    // A version that no request can contain is from a service that does not check its own data.
    const isValid = facts.getBuildFacts.params.shape.version.safeParse(version).success;
    builds.push({
      version,
      facts: isValid
        ? await readBuildFacts((input) => client.getBuildFacts(input), { ...query, version })
        : null,
    });
  }
  return builds;
}
