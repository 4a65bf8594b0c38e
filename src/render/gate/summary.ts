/** The verdict of the gate in words, made once for everything that shows it. They are not escaped. */

import { inEnvironment, MAX_VERDICT_CHANGES, type Verdict } from "../../contract/verdict.ts";
import type { GateCheck, GateVerdict } from "../../gate/verdict.ts";
import { formatCount } from "../../shared/words.ts";
import { describeFound, rulingTitles } from "./words.ts";

const titles = {
  passed: "GATE PASSED",
  failed: "GATE FAILED",
  inconclusive: "NOT ENOUGH DATA",
} as const;

/** Status, scope, the changes that failed or warned with their sessions, and what is next. */
export function summarizeGate(verdict: GateVerdict): Verdict {
  const { game, environment, a, b } = verdict;
  return {
    status: verdict.verdict,
    answer: `${titles[verdict.verdict]}: ${b.version} vs ${a.version}, ${summarizeChecks(verdict)}`,
    ...{ game, environment },
    a: { version: a.version, testers: a.testers },
    b: { version: b.version, testers: b.testers },
    changes: selectCounted(verdict)
      .slice(0, MAX_VERDICT_CHANGES)
      .map((check) => ({
        ...{ id: check.id, title: check.title, status: check.status },
        ...{ found: describeFound(check), change: rulingTitles[check.ruling] },
        sessions: check.evidence.map((moment) => ({ ...moment })),
      })),
    next: [
      ...["insights", "list", "--by", "tag", "--build", b.version, "--game", game],
      ...inEnvironment(environment),
    ],
  };
}

/** How many checks failed, such as `3 of 16 checks failed` or `16 checks, none failed`. */
function summarizeChecks(verdict: GateVerdict): string {
  const { judged } = verdict;
  const [failed, warned] = [countRuled(verdict, "failed"), countRuled(verdict, "warned")];
  const checks = judged + verdict.limits.length;
  const count = formatCount(checks, "check");
  if (verdict.verdict === "inconclusive") return checks === 0 ? "nothing checked" : `${count}, none failed`;
  const warnings = warned === 0 ? "" : `, ${formatCount(warned, "warning")}`;
  if (failed > 0) return `${failed} of ${count} failed${warnings}`;
  return warned > 0 ? `${count}${warnings}` : `${count}, none failed`;
}

type CountedRuling = "failed" | "warned";

/** The number of checks and limits that failed or warned. */
export const countRuled = ({ checks, limits }: GateVerdict, ruling: CountedRuling): number =>
  checks.filter((check) => check.ruling === ruling).length +
  limits.filter(({ status }) => status === ruling).length;

/** Failures and warnings, in the order of the verdict. */
export const selectCounted = ({ checks }: GateVerdict): GateCheck[] => [
  ...checks.filter(({ ruling }) => ruling === "failed"),
  ...checks.filter(({ ruling }) => ruling === "warned"),
];

/** The answer with what failed or is not known, for the end of a log. */
export function concludeGate(verdict: GateVerdict): string {
  const { answer } = summarizeGate(verdict);
  const causes = listCauses(verdict);
  return causes.length === 0 ? answer : `${answer}: ${causes.join(", ")}`;
}

/** What failed or is not known. */
export const listCauses = (verdict: GateVerdict): readonly string[] =>
  verdict.verdict === "inconclusive"
    ? verdict.reasons
    : [
        ...verdict.checks.filter(({ ruling }) => ruling === "failed").map(({ id }) => id),
        ...verdict.limits.filter(({ status }) => status === "failed").map(({ name }) => name),
      ];
