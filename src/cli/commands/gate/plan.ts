/** gate plan: how many testers the gate needs to notice a new problem. */

import * as builds from "../../../contract/builds.ts";
import * as insights from "../../../contract/insights.ts";
import * as history from "../../../contract/play-history.ts";
import * as sessions from "../../../contract/sessions.ts";
import { DEFAULT_DETECT_POINTS, DEFAULT_MAX_INCREASE } from "../../../gate/config.ts";
import { judge } from "../../../gate/judge.ts";
import { selectCheckedTags } from "../../../gate/judge-tags.ts";
import { DEFAULT_TAGS, planTesters } from "../../../gate/tester-plan.ts";
import { describeDetection } from "../../../render/gate/answer.ts";
import { cleanLine } from "../../../render/text.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { integer, number } from "../../flags.ts";
import { fetchComparison } from "./comparison.ts";
import { readGateQuery, requireGateEnvironment, resolveGateQuery } from "./gate-query.ts";
import { readRules, ruleFlags } from "./rules.ts";

const DEFAULT_POWER = 80;

export const planCommand = command({
  path: "gate plan",
  summary: "Show how many testers the gate needs",
  details:
    "Prints the number of testers per build with which the gate probably notices a new problem that affects " +
    "--detect percent of testers. With two builds, the number of compared tags and how common they are come from " +
    "these builds. Without builds, it assumes 20 tags (see --tags) that affect 5 to 40% of testers each.",
  args: [
    { name: "[a]", describe: "baseline, as for `gate`" },
    { name: "[b]", describe: "build to check, as for `gate`" },
  ],
  flags: {
    detect: number("--detect <percent>", "share of testers that the problem affects (default: 40)", 1, 100),
    power: number("--power <percent>", "required probability to notice it (default: 80)", 1, 99.9),
    tags: integer("--tags <n>", "number of compared tags, without builds (default: 20)", 1, 10_000),
    env: ruleFlags.env,
    config: ruleFlags.config,
  },
  examples: ["gate plan --detect 40", "gate plan 0.8.0 0.9.0 --game ember --detect 30 --power 90"],
  async run(context, { args: [a, b], flags }) {
    if (a !== undefined && b === undefined)
      throw fail("usage", {
        message: "Specify two builds, or none",
        hint: "Run `playtest gate plan <a> <b>`.",
      });
    if (a !== undefined && flags.tags !== undefined) {
      throw fail("usage", {
        message: "--tags cannot be used with builds, because their tags are counted",
        hint: "Remove --tags, or run `playtest gate plan` without builds.",
      });
    }
    const { detect = DEFAULT_DETECT_POINTS, power = DEFAULT_POWER, tags: assumedTags = DEFAULT_TAGS } = flags;
    const compared = a === undefined || b === undefined ? null : await compareBuilds(context, a, b, flags);
    const { testers, tags } = planTesters({
      detectPoints: detect,
      power: power / 100,
      tags: assumedTags,
      checked: compared?.checked ?? null,
    });
    const data = { detect, power, tags, testersPerBuild: testers };
    const needed =
      testers === null
        ? `No number of testers is enough to notice a problem that affects ${detect}% of testers, because increases of up to ${compared?.checked?.maxIncreasePoints ?? DEFAULT_MAX_INCREASE} percentage points never fail the gate.`
        : `With ${testers} testers per build, the gate has a probability of ${power}% to notice a new problem that affects ${detect}% of testers (among ${tags} compared tags).`;
    const lines = [needed, ...(compared?.sentences ?? [])];
    return { data, view: () => lines.map((line) => `${cleanLine(line)}\n`).join("") };
  },
});

/** The compared tags of two builds, and what the gate notices with their testers. */
async function compareBuilds(
  context: Context,
  a: string,
  b: string,
  flags: { readonly env: string | undefined; readonly config: string | undefined },
) {
  const empty = { failOn: undefined, minTesters: undefined, maxIncrease: undefined, confidence: undefined };
  const rules = {
    ...flags,
    ...empty,
    maxNew: undefined,
    onInconclusive: undefined,
    detect: undefined,
    plannedTesters: undefined,
  };
  const config = readRules(context, rules);
  const unresolved = await readGateQuery(context, { a, b, env: config.env });
  const client = await context.client({ ...builds, ...history, ...sessions, ...insights });
  const query = await resolveGateQuery(client, unresolved, context.io.now());
  const { slug, environment, ...comparison } = await fetchComparison(client, query, config);
  await requireGateEnvironment(context, config.env, comparison.b);
  const input = { game: slug, environment, ...comparison, config, now: context.io.now() };
  return { checked: selectCheckedTags(input), sentences: describeDetection(judge(input)) };
}
