/** Sample builds and verdicts for tests of the gate and its reports. */

import { diffTags, type GateBuild } from "../../src/gate/build-comparison.ts";
import { judge } from "../../src/gate/judge.ts";
import type { GateInput } from "../../src/gate/judge-tags.ts";
import type { GateVerdict } from "../../src/gate/verdict.ts";
import { NOW } from "../harness.ts";

/** The fields that are missing if a service reports only the testers with each tag. */
export const unknownPlay = { stats: null, history: null, analysisVersions: null };

/** A build with this many testers, and the testers with each tag. */
export function build(
  version: string,
  testers: number,
  byTag: Readonly<Record<string, number>> = {},
): GateBuild {
  const counts = Object.entries(byTag).map(
    ([tag, count]) => [tag, { testers: count, insights: count }] as const,
  );
  return { version, testers, sessions: testers * 2, byTag: new Map(counts), ...unknownPlay };
}

/** The input of the gate for two builds. */
export function gateInput(a: GateBuild, b: GateBuild, overrides: Partial<GateInput> = {}): GateInput {
  return {
    game: "ember",
    environment: "production",
    a,
    b,
    changes: diffTags(a, b),
    config: {},
    now: NOW,
    ...overrides,
  };
}

const stats = (engagementRate: number, medianActiveSec: number) => ({ engagementRate, medianActiveSec });

/** A verdict with findings of almost every status, limits, exceptions, evidence and a suggestion. */
export function richVerdict(): GateVerdict {
  const testersA = {
    "confusion:map": 4,
    "stuck-point:level-02": 9,
    "negative-moment:boss": 2,
    "pacing-issue:intro": 1,
    "bug-report:save": 1,
    "ui-friction:shop": 1,
  };
  const a = { ...build("0.8.0", 20, testersA), stats: stats(0.8, 900) };
  const testersB = {
    "difficulty-spike:furnace": 11,
    "stuck-point:level-02": 21,
    "negative-moment:boss": 7,
    "pacing-issue:intro": 11,
    "bug-report:save": 12,
    "ui-friction:shop": 12,
    "confusion:map": 1,
  };
  const b = { ...build("0.9.0", 22, testersB), stats: stats(0.7, 870) };
  const verdict = judge(
    gateInput(a, b, {
      config: {
        tags: [
          { tag: "stuck-point:*", level: "warn" },
          { tag: "ui-friction:*", minTesters: 50 },
        ],
        allow: [
          { tag: "pacing-issue:*", reason: "PT-12: the intro is being cut", expires: "2026-03-05" },
          { tag: "bug-report:*", reason: "will be fixed", expires: "2026-02-01" },
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
    findings: verdict.findings.map((finding) =>
      finding.tag === "difficulty-spike:furnace"
        ? {
            ...finding,
            evidence: [
              { insightId: "ins_01", sessionId: "ses_07", title: "Died nine times at the furnace" },
              { insightId: "ins_02", sessionId: "ses_09", title: null },
            ],
          }
        : finding,
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

/** The verdict for two builds without an increase. */
export function passedVerdict(): GateVerdict {
  return judge(
    gateInput(build("0.8.0", 20, { "confusion:map": 6 }), build("0.9.0", 22, { "confusion:map": 5 })),
  );
}

/** The verdict for too few testers. */
export function inconclusiveVerdict(): GateVerdict {
  return judge(
    gateInput(build("0.8.0", 20, { "confusion:map": 6 }), build("0.9.0", 2, { "confusion:map": 2 })),
  );
}

/** The verdict for a service that does not report testers by tag. */
export function pointsVerdict(): GateVerdict {
  const a = build("0.8.0", 20);
  const b = build("0.9.0", 22);
  const change = { tag: "difficulty-spike:furnace", kind: "introduced", deltaPct: 50 };
  return judge(gateInput(a, b, { changes: [{ ...change, testersA: null, testersB: null }] }));
}
