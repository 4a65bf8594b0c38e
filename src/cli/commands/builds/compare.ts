/** builds compare: the friction diff of two builds, optionally with an exit code for it. */

import { checkInput } from "../../../client/client.ts";
import { readComparison } from "../../../client/scorecard.ts";
import * as facts from "../../../contract/build-facts.ts";
import * as buildList from "../../../contract/build-list.ts";
import * as builds from "../../../contract/builds.ts";
import { type BuildComparison, changeKinds } from "../../../contract/builds.ts";
import * as scorecards from "../../../contract/scorecard.ts";
import * as sessions from "../../../contract/sessions.ts";
import { DEFAULT_OPTIONS } from "../../../scorecard/options.ts";
import { formatTitleAndTag } from "../../../shared/tags.ts";
import { command, createTable, type Result } from "../../command.ts";
import { inEnvironment } from "../../default-environment.ts";
import { choices, text, toggle } from "../../flags.ts";
import { quoteForShell } from "../../suggested-commands.ts";
import { chartFlags, checkChartFile, writeCharts } from "../chart-file.ts";
import { explainMissingBuild, resolvePair } from "./resolve.ts";

export const compareBuildsCommand = command({
  path: "builds compare",
  summary: "Compare what testers did in two builds",
  details:
    "Shows what got worse or better: friction, where testers quit, ratings and crashes. A change counts only if it is larger " +
    "than chance. With --all, all rows are shown, and with --stats their ranges and p-values.\n\nWith --fail-on, the exit " +
    "code is 10 if any tag has one of the listed changes, and 11 if a build has no testers. This check counts every " +
    "change, even if only one tester is affected. To separate real changes from noise, use `playtest gate`.\n\n" +
    "With --json, the output is the friction diff of the API; with --scorecard, all rows.",
  args: [
    { name: "<a>", describe: "baseline build version, `latest` or `previous` (the build before b)" },
    { name: "<b>", describe: "build version to compare with the baseline, `latest` or `previous`" },
  ],
  flags: {
    env: text("--env <slug>", "environment for both builds, or `all` (default: production)"),
    failOn: choices(
      "--fail-on <changes>",
      `exit with code 10 on any of these changes: ${changeKinds.join(", ")}`,
      changeKinds,
    ),
    all: toggle("--all", "show all rows, also those without a clear change"),
    stats: toggle("--stats", "show ranges, p-values and methods"),
    scorecard: toggle(
      "--scorecard",
      "with --json: print the rows of the scorecard instead of the friction diff",
    ),
    ...chartFlags,
  },
  examples: [
    "builds compare 0.8.0 0.9.0 --game ember",
    "builds compare 0.8.0 0.9.0 --game ember --out friction.svg",
    "builds compare previous latest --game ember --fail-on introduced,got_larger",
  ],
  async run(context, { args, flags }) {
    checkChartFile(flags.out);
    const client = await context.client({ ...builds, ...buildList, ...facts, ...scorecards, ...sessions });
    const game = await context.requireGame();
    const [wordA = "", wordB = ""] = args;
    // Invalid input is reported before `latest` and `previous` are looked up.
    checkInput(builds.compareBuilds, { game, a: wordA, b: wordB, env: flags.env });
    const format = context.settings.format.value;
    // These formats contain only the response of the service, and --fail-on is about it.
    const isDiff = flags.out === undefined && !flags.scorecard && (format === "json" || format === "ndjson");
    const request = async (env: string | undefined) => {
      const { a, b } = await resolvePair(
        client,
        { game, env, now: context.io.now() },
        { a: wordA, b: wordB },
      );
      const explain = async (error: unknown) => {
        throw await explainMissingBuild(error, client, game, [a, b]);
      };
      const pair = { game, a, b, env };
      const data = isDiff || flags.failOn ? await client.compareBuilds(pair).catch(explain) : null;
      const compared = isDiff ? null : await readComparison(client, pair, DEFAULT_OPTIONS).catch(explain);
      const testers = compared
        ? compared.a.testers + compared.b.testers
        : (data?.buildA.testersInBatch ?? 0) + (data?.buildB.testersInBatch ?? 0);
      return { a, b, data, compared, testers };
    };
    const { a, b, data, compared, testers } = await inEnvironment(
      context,
      flags.env,
      request,
      (answer) => answer.testers === 0,
    );
    if (testers === 0)
      await (await import("../../unknown-names.ts")).requireKnownNames(context, { env: flags.env });
    const verdict = data && flags.failOn ? checkFailOn(data, flags.failOn) : undefined;
    const exitVerdict = verdict ? { verdict } : {};
    if (compared === null) return { data, ...exitVerdict };
    const { viewComparison } = await import("../../../charts/scorecard.ts");
    const view = viewComparison(compared);
    if (flags.out !== undefined) {
      const { scorecardChart } = await import("../../../charts/scorecard-chart.ts");
      await writeCharts(context, flags.out, () => [scorecardChart(view)]);
    }
    const { scorecardColumns } = await import("../../../render/tables/scorecard.ts");
    const { scorecardView } = await import("../../../render/scorecard/text.ts");
    const { describeAnswer, describeScorecard } = await import("../../../charts/scorecard.ts");
    const [versionA, versionB] = [quoteForShell(a), quoteForShell(b)];
    const next =
      versionA && versionB && a !== b ? `Can it ship?  playtest gate ${versionA} ${versionB}` : null;
    return {
      data: describeScorecard(view),
      table: createTable(view.rows, scorecardColumns, describeAnswer(view)),
      items: view.rows,
      view: (options) => scorecardView(view, { all: flags.all, stats: flags.stats }, next, options),
      ...exitVerdict,
    };
  },
});

/** The verdict by --fail-on; undefined if no tag has one of the kinds. */
function checkFailOn(data: BuildComparison, kinds: readonly string[]): Result["verdict"] {
  for (const { version, testersInBatch } of [data.buildA, data.buildB]) {
    if (testersInBatch > 0) continue;
    const message = `Inconclusive: build ${version} has no testers in ${data.environment}`;
    return {
      code: "inconclusive",
      message,
      hint: "Wait for its first sessions, or select another environment with --env.",
    };
  }
  const matching = data.diff.changes.filter((change) => kinds.includes(change.kind));
  if (matching.length === 0) return undefined;
  const byKind = kinds.flatMap((kind) => {
    const tags = matching.filter((change) => change.kind === kind).map(formatTitleAndTag);
    return tags.length > 0 ? [`${describeCount(kind, tags.length)}: ${tags.join(", ")}`] : [];
  });
  return { code: "gate_failed", message: `Failed: ${byKind.join("; ")}` };
}

/** The number of tags with a kind of change, such as `2 tags were introduced`. */
function describeCount(kind: string, count: number): string {
  const verb = kindVerbs[kind as keyof typeof kindVerbs] ?? kind;
  return count === 1 ? `1 tag ${verb.replace(/^were /, "was ")}` : `${count} tags ${verb}`;
}

const kindVerbs: Readonly<Record<(typeof changeKinds)[number], string>> = {
  introduced: "were introduced",
  got_larger: "got larger",
  carried_over: "were carried over",
  got_smaller: "got smaller",
  resolved: "were resolved",
};
