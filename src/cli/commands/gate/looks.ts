/** The state of repeated runs of the gate, in a file next to the baseline: what was tested, and the last verdict. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import * as z from "zod";
import {
  DEFAULT_CONFIDENCE,
  DEFAULT_DETECT_POINTS,
  DEFAULT_MAX_INCREASE,
  type GateRules,
} from "../../../gate/config.ts";
import { judgeWithEvidence } from "../../../gate/evidence.ts";
import { uncheck, withoutEffect } from "../../../gate/judge.ts";
import {
  describeRuleChanges,
  listSequentialRules,
  type SequentialRules,
} from "../../../gate/sequential-rules.ts";
import { addNote, type GateVerdict, gateVerdict } from "../../../gate/verdict.ts";
import { planFirstPlaytest } from "../../../scorecard/plan.ts";
import { parseJsonFile } from "../../../shared/parse-json.ts";
import { nextLevel, nextLook } from "../../../statistics/alpha-spending.ts";
import { fail } from "../../errors.ts";
import { failToRead } from "../../file-errors.ts";
import type { Io } from "../../io.ts";
import { writeNamedFile } from "../named-file.ts";
import { type GateComparison, toGateInput } from "./comparison.ts";

const looksFile = z.object({
  playtestLooks: z.literal(2),
  rules: z.record(z.string(), z.unknown()).describe("What the verdict depends on except the testers"),
  plannedTesters: z.int().min(1),
  /** Of the last test. */
  testers: z.int(),
  spent: z.number(),
  verdict: gateVerdict,
});
type LooksFile = z.output<typeof looksFile>;

/**
 * Tests the builds if a test is due, and otherwise returns the last verdict. Throws `usage` if the stored runs had other
 * builds or rules: their verdict does not answer for this run, and starting again would allow more false alarms.
 */
export async function judgeRepeatedly(
  file: string,
  comparison: GateComparison,
  config: GateRules,
  io: Io,
): Promise<GateVerdict> {
  const planned = choosePlan(config);
  const { slug: game, environment, a, b } = comparison;
  const rules = listSequentialRules({ game, environment, a, b, config }, planned);
  const last = await readLooks(file, io);
  if (last) checkSameRules(file, last, rules, io);
  const level = 1 - (config.confidence ?? DEFAULT_CONFIDENCE);
  const testers = b.testers;
  const due = nextLevel(last, testers, planned, level);
  if (due === null && last) return repeatVerdict(last);
  const verdict = judgeWithEvidence(await toGateInput(comparison, config, io.now(), due ?? undefined));
  if (due === null) return waitForFirst(verdict, testers, planned);
  // Nothing was tested, so this run neither counts as a test nor is it repeated.
  if (verdict.judged === 0 && verdict.verdict === "inconclusive") return verdict;
  const content: LooksFile = {
    playtestLooks: 2,
    rules: { ...rules },
    plannedTesters: planned,
    testers,
    spent: (last?.spent ?? 0) + due,
    verdict,
  };
  await writeNamedFile("state", file, `${JSON.stringify(content, null, 2)}\n`, io);
  return addNote(verdict, describeSchedule(testers, planned));
}

function checkSameRules(file: string, last: LooksFile, rules: SequentialRules, { cwd }: Pick<Io, "cwd">) {
  const changes = describeRuleChanges(last.rules, rules);
  if (changes.length === 0) return;
  throw fail("usage", {
    message: `The earlier runs in ${resolve(cwd, file)} had other builds or rules: ${changes.join(", ")}`,
    hint: "Use another file for --sequential, or run the gate with the same builds and rules as before.",
  });
}

const choosePlan = ({ plannedTesters, detectPoints = DEFAULT_DETECT_POINTS }: GateRules) =>
  plannedTesters ??
  planFirstPlaytest({ share: detectPoints / 100, limit: DEFAULT_MAX_INCREASE / 100, power: 0.8 }) ??
  1;

function repeatVerdict({ verdict, testers, plannedTesters }: LooksFile): GateVerdict {
  return addNote(
    verdict,
    `Not tested again: this is the stored result of the test with ${testers} testers. ${describeSchedule(testers, plannedTesters)}`,
  );
}

/** Before the first test, nothing fails. */
function waitForFirst(verdict: GateVerdict, testers: number, planned: number): GateVerdict {
  const reason = `--sequential runs its first test with ${nextLook(testers, planned)} testers of ${verdict.b.version} (${testers} now)`;
  return {
    ...verdict,
    verdict: "inconclusive",
    reasons: [reason],
    detection: null,
    judged: 0,
    checks: verdict.checks.map(withoutEffect),
    limits: verdict.limits.map((limit) => uncheck(limit, "no test is due yet")),
  };
}

function describeSchedule(testers: number, planned: number): string {
  const next = nextLook(testers, planned);
  return next === null
    ? "This was the last test: later runs repeat its result."
    : next === planned
      ? `The next and last test is due with ${next} testers.`
      : `The next test is due with ${next} testers, and the last one with ${planned}.`;
}

/** Null if the file does not exist yet. Throws `config` if it is something else. */
async function readLooks(file: string, { cwd }: Pick<Io, "cwd">): Promise<LooksFile | null> {
  const path = resolve(cwd, file);
  const hint = "Use a file of its own for --sequential, or delete it to start again.";
  let content: string;
  try {
    content = await readFile(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw failToRead(path, hint, cause);
  }
  const { data, error } = looksFile.safeParse(parseJson(content));
  if (error) throw fail("config", { message: `${path} is not the state of repeated gate runs`, hint });
  return data;
}

function parseJson(content: string): unknown {
  try {
    return parseJsonFile(content);
  } catch {
    return null;
  }
}
