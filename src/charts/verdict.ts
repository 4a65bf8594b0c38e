/** The verdict of a comparison in words, made once for everything that shows it. */
import type { RowEvidence } from "../contract/scorecard.ts";
import { inEnvironment, MAX_VERDICT_CHANGES, toMoment, type Verdict } from "../contract/verdict.ts";
import {
  answerScorecard,
  describeAnswer,
  describeChange,
  formatSides,
  type ScorecardView,
  selectShown,
} from "./scorecard.ts";

/** The verdict about build b. `evidence` has the sessions behind rows, by the name of the row. */
export function summarizeComparison(view: ScorecardView, evidence: readonly RowEvidence[]): Verdict {
  const { game, environment, a, b } = view;
  const sessions = new Map(evidence.map((row) => [row.metric, row.sessions]));
  return {
    status: answerScorecard(view),
    answer: describeAnswer(view),
    ...{ game, environment },
    a: { version: a.version, testers: a.testers },
    b: { version: b.version, testers: b.testers },
    changes: selectShown(view)
      .slice(0, MAX_VERDICT_CHANGES)
      .map((row) => ({
        ...{ id: row.id, title: row.title, status: row.status },
        ...{ found: formatSides(row), change: describeChange(row) },
        sessions: (sessions.get(row.metric) ?? []).map(toMoment),
      })),
    next:
      a.version === b.version
        ? null
        : ["gate", a.version, b.version, "--game", game, ...inEnvironment(environment)],
  };
}
