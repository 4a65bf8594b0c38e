/** gate plan: how many testers the gate needs to notice a new problem, or more of a known one. */
import { describeWhere } from "../../../contract/fields.ts";
import {
  DEFAULT_DETECT_POINTS,
  DEFAULT_MAX_INCREASE,
  DEFAULT_MIN_TESTERS,
  requiredTesters,
} from "../../../gate/config.ts";
import { resolveRule } from "../../../gate/resolve-rule.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { cleanLine } from "../../../render/text.ts";
import { ASSUMED_TAGS, measureDetection, planFirstPlaytest, planTesters } from "../../../scorecard/plan.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { type FlagValues, integer, number } from "../../flags.ts";
import { comparisonEndpoints } from "../builds/endpoints.ts";
import { fetchComparison, toGateInput } from "./comparison.ts";
import { readGateQuery, requireGateEnvironment, resolveGateQuery } from "./gate-query.ts";
import { readRules, ruleFlags } from "./rules.ts";

/** An increase to find, in percentage points, and the number of problems for which it is planned. */
const INCREASE_POINTS = 20;
const MAX_PROBLEMS = 5;

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
    const { detect = DEFAULT_DETECT_POINTS, power = DEFAULT_POWER, tags: assumedTags = ASSUMED_TAGS } = flags;
    const query = { detect, power: power / 100 };
    const compared =
      a === undefined || b === undefined ? null : await planFromFacts(context, a, b, { ...flags, ...query });
    const testers = compared === null ? planWithoutBuilds(query, assumedTags) : compared.testers;
    const tags = compared?.tags ?? assumedTags;
    const data = { detect, power, tags, testersPerBuild: testers, increases: compared?.increases ?? [] };
    const needed =
      testers === null
        ? `No number of testers is enough to notice a problem that affects ${detect}% of testers, because increases of up to ${compared?.maxIncrease ?? DEFAULT_MAX_INCREASE} percentage points never fail the gate.`
        : `With ${testers} testers per build, the gate has a probability of ${power}% to notice a new problem that affects ${detect}% of testers (among ${tags} compared tags).`;
    const lines = [`${compared?.scope ?? ""}${needed}`, ...(compared?.sentences ?? [])];
    return {
      data,
      view: (options) =>
        lines
          .flatMap((line) => renderParagraph(cleanLine(line), "", options))
          .map((line) => `${line}\n`)
          .join(""),
    };
  },
});

/** What to notice: the percentage of testers that it affects, and the required probability from 0 to 1. */
interface Problem {
  readonly detect: number;
  readonly power: number;
}

/** The testers per build if nothing is known about the builds: at least as many as the gate requires. */
function planWithoutBuilds({ detect, power }: Problem, tags: number): number | null {
  const problem = { share: detect / 100, limit: DEFAULT_MAX_INCREASE / 100, power };
  const testers = planFirstPlaytest(problem, tags);
  return testers && Math.max(testers, DEFAULT_MIN_TESTERS);
}

/** What the facts of two builds say about the next playtest: like this one, with more testers. */
async function planFromFacts(
  context: Context,
  a: string,
  b: string,
  flags: Pick<FlagValues<typeof ruleFlags>, "env" | "config"> & Problem,
) {
  const config = readRules(context, { env: flags.env, config: flags.config });
  const unresolved = await readGateQuery(context, { a, b, env: config.env });
  const client = await context.client(comparisonEndpoints);
  const query = await resolveGateQuery(client, unresolved, {
    now: context.io.now(),
    minTesters: requiredTesters(config),
  });
  const comparison = await fetchComparison(client, query, config);
  for (const note of comparison.notes) await context.notify(note);
  await requireGateEnvironment(context, config.env, comparison.b);
  const { scorecard, rows } = await toGateInput(comparison, config, context.io.now());
  if (scorecard === null) return null;
  const { maxIncreasePoints: maxIncrease } = resolveRule(config, "introduced", "");
  const { noticed, testersPerGroup } = measureDetection(scorecard, {
    share: flags.detect / 100,
    limit: maxIncrease / 100,
    power: flags.power,
  });
  const problems = rows
    .filter(({ family, a: side }) => family === "friction" && (side.count ?? 0) > 0)
    .toSorted((x, y) => (y.a.value ?? 0) - (x.a.value ?? 0))
    .slice(0, MAX_PROBLEMS);
  const increases = problems.map((row) => ({
    id: row.id,
    share: row.a.value,
    testersPerBuild: planTesters(scorecard, row, { increase: INCREASE_POINTS / 100, power: flags.power }),
  }));
  const { a: before, b: after, environment } = comparison;
  return {
    testers: testersPerGroup,
    tags: rows.filter(({ family, reason }) => family === "friction" && reason === null).length,
    maxIncrease,
    increases,
    scope: `${describeWhere(query.game, environment)} · ${before.version} → ${after.version}: `,
    sentences: [
      ...(noticed === null
        ? []
        : [
            `With ${before.testers} and ${after.testers} testers, a new problem must affect ${noticed} of ${after.testers} to be noticed.`,
          ]),
      ...increases.map(({ id, share, testersPerBuild }) => {
        const percent = Math.round((share ?? 0) * 100);
        const count =
          testersPerBuild === null
            ? "no number of testers is enough"
            : `${testersPerBuild} testers per build`;
        return `${id}, ${percent}% → ${percent + INCREASE_POINTS}%: ${count}.`;
      }),
    ],
  };
}
