/** Sides and verdicts that the tests of the gate and of its reports start from. */

import { diffTags, type GateBuild } from "../../src/gate/build-comparison.ts";
import { type GateInput, judge } from "../../src/gate/judge.ts";
import type { GateVerdict } from "../../src/gate/verdict.ts";
import { NOW } from "../harness.ts";

/** One build of so many testers, and how many of them met each tag. */
export function side(
  version: string,
  testers: number,
  byTag: Readonly<Record<string, number>> = {},
): GateBuild {
  const counts = Object.entries(byTag).map(([tag, met]) => [tag, { testers: met, insights: met }] as const);
  return { version, testers, sessions: testers * 2, byTag: new Map(counts), stats: null };
}

/** A case of two builds; what is given overrides it. */
export function caseOf(a: GateBuild, b: GateBuild, rest: Partial<GateInput> = {}): GateInput {
  return {
    game: "ember",
    environment: "production",
    a,
    b,
    changes: diffTags(a, b),
    config: {},
    now: NOW,
    ...rest,
  };
}

const stats = (engagementRate: number, medianActiveSec: number) => ({ engagementRate, medianActiveSec });

/** A verdict with a finding of every status, limits, allowances, evidence and a suggestion. */
export function richVerdict(): GateVerdict {
  const met = {
    "confusion:map": 4,
    "stuck-point:level-02": 9,
    "negative-moment:boss": 2,
    "pacing-issue:intro": 1,
    "bug-report:save": 1,
    "ui-friction:shop": 1,
  };
  const a = { ...side("0.8.0", 20, met), stats: stats(0.8, 900) };
  const grown = {
    "difficulty-spike:furnace": 11,
    "stuck-point:level-02": 21,
    "negative-moment:boss": 7,
    "pacing-issue:intro": 11,
    "bug-report:save": 12,
    "ui-friction:shop": 12,
    "confusion:map": 1,
  };
  const b = { ...side("0.9.0", 22, grown), stats: stats(0.7, 870) };
  const verdict = judge(
    caseOf(a, b, {
      config: {
        tags: [
          { tag: "stuck-point:*", level: "warn" },
          { tag: "ui-friction:*", minTesters: 50 },
        ],
        allow: [
          { tag: "pacing-issue:*", reason: "PT-12: the intro is being cut", expires: "2026-03-05" },
          { tag: "bug-report:*", reason: "fixed by then", expires: "2026-02-01" },
        ],
        limits: {
          engagementRate: { min: 0.75 },
          medianActiveSec: { min: 600, maxDropPct: 1, level: "warn" },
          bugReportsPerSession: { max: 2 },
        },
      },
    }),
  );
  return {
    ...verdict,
    findings: verdict.findings.map((one) =>
      one.tag === "difficulty-spike:furnace"
        ? {
            ...one,
            evidence: [
              { insightId: "ins_01", sessionId: "ses_07", title: "Died nine times at the furnace" },
              { insightId: "ins_02", sessionId: "ses_09", title: null },
            ],
          }
        : one,
    ),
    suggestions: [
      {
        title: "Place a checkpoint before the furnace",
        rationale: "Half of the testers fell.",
        confidence: 0.7,
      },
    ],
  };
}

/** A gate that finds nothing worse. */
export function passedVerdict(): GateVerdict {
  return judge(caseOf(side("0.8.0", 20, { "confusion:map": 6 }), side("0.9.0", 22, { "confusion:map": 5 })));
}

/** A gate that cannot tell: too few testers. */
export function inconclusiveVerdict(): GateVerdict {
  return judge(caseOf(side("0.8.0", 20, { "confusion:map": 6 }), side("0.9.0", 2, { "confusion:map": 2 })));
}

/** A gate on a service that tells no testers by tag. */
export function pointsVerdict(): GateVerdict {
  const a = side("0.8.0", 20);
  const b = side("0.9.0", 22);
  const change = { tag: "difficulty-spike:furnace", kind: "introduced", deltaPct: 50 };
  return judge(caseOf(a, b, { changes: [{ ...change, testersA: null, testersB: null }] }));
}
