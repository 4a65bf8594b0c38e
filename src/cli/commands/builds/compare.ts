/** builds compare: the friction diff of two builds, optionally with an exit code for it. */
import type { ScorecardView } from "../../../charts/scorecard.ts";
import { checkInput } from "../../../client/client.ts";
import { readComparison } from "../../../client/scorecard.ts";
import * as builds from "../../../contract/builds.ts";
import { DEFAULT_ENV } from "../../../contract/fields.ts";
import type { GateRules } from "../../../gate/config.ts";
import { judge } from "../../../gate/judge.ts";
import { quoteForShell } from "../../../render/shell.ts";
import { DEFAULT_OPTIONS } from "../../../scorecard/options.ts";
import { command, createTable, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { inEnvironment } from "../../default-environment.ts";
import { text, toggle } from "../../flags.ts";
import { REPO_FILE } from "../../repo-file.ts";
import { formatFlag, repeatSelection } from "../../suggested-commands.ts";
import { chartFlags, checkChartFile, writeCharts } from "../chart-file.ts";
import { fetchComparison, type GateClient, type GateQuery, toGateInput } from "../gate/comparison.ts";
import { toExitVerdict } from "../gate/conclusion.ts";
import { sameBuildError } from "../gate/gate-query.ts";
import { readRules, ruleFlags } from "../gate/rules.ts";
import { comparisonEndpoints } from "./endpoints.ts";
import { createBuildScope, explainMissing, resolvePair } from "./resolve.ts";

export const compareBuildsCommand = command({
  path: "builds compare",
  summary: "Compare what testers did in two builds",
  details:
    "Shows what got worse or better: friction, where testers quit, ratings and crashes. A change counts only if it is larger " +
    "than chance. With --all, all rows are shown, and with --stats their ranges and p-values.\n\n--fail-on gives the " +
    "verdict and the exit code of `playtest gate` with the same rules.\n\n" +
    "With --json, the output is the friction diff of the API; with --scorecard, all rows.",
  args: [
    { name: "[a]", describe: "baseline build version, `latest` or `previous` (the build before b; default)" },
    { name: "[b]", describe: "build version to compare with the baseline, `latest` (default) or `previous`" },
  ],
  flags: {
    env: text("--env <slug>", "environment for both builds, or `all` (default: production)"),
    failOn: ruleFlags.failOn,
    all: toggle("--all", "show all rows, also those without a clear change"),
    stats: toggle("--stats", "show ranges, p-values and methods"),
    scorecard: toggle(
      "--scorecard",
      "with --json: print the rows of the scorecard instead of the friction diff",
    ),
    ...chartFlags,
  },
  examples: [
    "builds compare --game ember",
    "builds compare 0.8.0 0.9.0 --game ember --out friction.svg",
    "builds compare --game ember --fail-on introduced,got_larger",
  ],
  async run(context, { args, flags }) {
    checkChartFile(flags.out);
    const client = await context.client(comparisonEndpoints);
    const game = await context.requireGame();
    const [wordA = "previous", wordB = "latest"] = args;
    if (wordA === wordB) throw sameBuildError(wordB);
    // Invalid input is reported before `latest` and `previous` are looked up.
    checkInput(builds.compareBuilds, { game, a: wordA, b: wordB, env: flags.env });
    const format = context.settings.format.value;
    // These formats contain only the response of the service.
    const isDiff = flags.out === undefined && !flags.scorecard && (format === "json" || format === "ndjson");
    const config = flags.failOn && readRules(context, { env: flags.env, failOn: flags.failOn });
    const request = async (env: string | undefined) => {
      const { a, b } = await resolvePair(client, createBuildScope(context, game, env), {
        a: wordA,
        b: wordB,
      });
      const explain = explainMissing(client, game, [a, b]);
      const pair = { game, a, b, env };
      if (a === b) throw sameBuildError(b, [wordA, wordB]);
      const data = isDiff ? await client.compareBuilds(pair).catch(explain) : null;
      const judged = config ? await judgeBuilds(context, client, pair, config) : null;
      const view =
        judged?.view ??
        (isDiff ? null : viewComparison(await readComparison(client, pair, DEFAULT_OPTIONS).catch(explain)));
      const testers = view
        ? view.a.testers + view.b.testers
        : (data?.buildA.testersInBatch ?? 0) + (data?.buildB.testersInBatch ?? 0);
      return { a, b, data, view, exit: judged?.exit, testers };
    };
    const { viewComparison } = await import("../../../charts/scorecard.ts");
    const { a, b, data, view, exit, testers } = await inEnvironment(
      context,
      flags.env ?? config?.env,
      request,
      (answer) => answer.testers === 0,
    );
    if (testers === 0)
      await (await import("../../unknown-names.ts")).requireKnownNames(context, { env: flags.env });
    const exitVerdict = exit ? { verdict: exit } : {};
    if (data !== null || view === null) return { data, ...exitVerdict };
    if (flags.out !== undefined) {
      const { scorecardChart } = await import("../../../charts/scorecard-chart.ts");
      await writeCharts(context, flags.out, () => [scorecardChart(view)]);
    }
    const { scorecardColumns } = await import("../../../render/tables/scorecard.ts");
    const { scorecardView } = await import("../../../render/scorecard/text.ts");
    const { describeAnswer, describeScorecard } = await import("../../../charts/scorecard.ts");
    const [versionA, versionB] = [quoteForShell(a), quoteForShell(b)];
    const scope = view.environment === DEFAULT_ENV ? "" : formatFlag("--env", view.environment);
    const gate = `playtest gate ${versionA} ${versionB}${scope}`;
    const next = versionA && versionB ? `Can it ship?  ${repeatSelection(gate, context.selection)}` : null;
    return {
      data: describeScorecard(view),
      table: createTable(view.rows, scorecardColumns, describeAnswer(view)),
      items: view.rows,
      view: (options) => scorecardView(view, { all: flags.all, stats: flags.stats }, next, options),
      ...exitVerdict,
    };
  },
});

/** What the gate shows and decides about two builds. */
async function judgeBuilds(
  context: Context,
  client: GateClient,
  pair: GateQuery,
  config: GateRules,
): Promise<{ readonly view: ScorecardView; readonly exit: Result["verdict"] }> {
  const input = await toGateInput(await fetchComparison(client, pair, config), config, context.io.now());
  const exit = toExitVerdict(judge(input), config, {
    ...{ hasWaited: false, rulesFile: REPO_FILE },
    now: context.io.now(),
  });
  return { view: input.view, exit };
}
