/** Sample rows, builds and verdicts for tests of the gate and its reports. */

import type { GateBuild, GateInput } from "../../src/gate/gate-input.ts";
import { judge } from "../../src/gate/judge.ts";
import type { GateVerdict } from "../../src/gate/verdict.ts";
import { isIntroduced, isRareInA, type RowSide, type ScorecardRow } from "../../src/scorecard/rows.ts";
import { computeScorecard, type Scorecard } from "../../src/scorecard/scorecard.ts";
import { type TitledRow, titleRow } from "../../src/scorecard/titled-rows.ts";
import { NOW } from "../harness.ts";
import { group, OPTIONS, session, tester, testers } from "../scorecard/facts.ts";

/** Testers with an outcome, and all who count. */
type Counts = readonly [count: number, total: number];

const toSide = ([count, total]: Counts): RowSide => ({
  total,
  count,
  value: total === 0 ? null : count / total,
});

/** What a row says about itself, and the kind that the service reports for it. */
type RowChanges = Partial<ScorecardRow> & { readonly kind?: string };

/** A row of a tag or of `quit:<room>` in two builds. It is unclear unless `changes` say more. */
export function row(id: string, a: Counts, b: Counts, { kind, ...changes }: RowChanges = {}): TitledRow {
  const [, subject = ""] = id.split(/:(.*)/s);
  const isQuit = id.startsWith("quit:");
  const isWorse = changes.status === "worse";
  const base: ScorecardRow = {
    ...(isQuit
      ? { metric: id, name: "quit", family: "quits", subject }
      : { metric: `friction:${id}`, name: "friction", family: "friction", subject: id }),
    ...{ room: null, worse: "more", unit: "share", decides: true },
    ...{ status: "unclear", reason: null, restsOnPractice: false, paired: 0 },
    ...{ isNewRoom: false, isRareInA: false, isIntroduced: false },
    ...{ a: toSide(a), b: toSide(b), difference: b[0] / b[1] - a[0] / a[1] },
    ...{ limit: 0.1, range: null, noticed: null },
    ...{ pValue: isWorse ? 0.0001 : 0.3, adjustedPValue: isWorse ? 0.001 : 1 },
    ...changes,
  };
  const whole = { ...base, isRareInA: isRareInA(base), isIntroduced: isIntroduced(base) };
  const kinds = new Map(kind === undefined ? [] : [[id, kind]]);
  return titleRow(whole, { titles: new Map(), kinds });
}

/** A row that is significantly worse. */
export const worse = (id: string, a: Counts, b: Counts, changes: RowChanges = {}): TitledRow =>
  row(id, a, b, { status: "worse", ...changes });

/** A row of a room that nobody of a entered. */
export const inNewRoom = (id: string, b: Counts, changes: RowChanges = {}): TitledRow =>
  row(id, [0, 0], b, { isNewRoom: true, difference: null, limit: 0.4, ...changes });

/** A build of which every session has ended and is analyzed. */
export const build = (version: string, count: number, changes: Partial<GateBuild> = {}): GateBuild => ({
  ...{ version, testers: count, ended: 2 * count, analyzed: 2 * count, facts: null, stats: null },
  ...changes,
});

const scorecards = new Map<string, Scorecard>();

/** A scorecard of this many testers, a quarter of whom have one tag in both groups. */
function scorecardOf(a: number, b: number): Scorecard {
  const confused = (has: boolean) =>
    tester([session({ tags: has ? [{ tag: "confusion:menu", afterSec: 60 }] : [] })]);
  const of = (count: number) => group(testers(count, Math.round(count / 4), confused));
  const key = `${a}:${b}`;
  const known = scorecards.get(key) ?? computeScorecard(of(a), of(b), OPTIONS);
  scorecards.set(key, known);
  return known;
}

/** The input of the gate for rows of two builds, by default of 20 and 22 testers. */
export function gateInput(rows: readonly TitledRow[], changes: Partial<GateInput> = {}): GateInput {
  const { a = build("0.8.0", 20), b = build("0.9.0", 22) } = changes;
  return {
    game: "ember",
    environment: "production",
    ...{ a, b, rows, notes: [], config: {}, now: NOW },
    scorecard: changes.scorecard === null ? null : scorecardOf(a.testers, b.testers),
    ...changes,
  };
}

/** A verdict with a check of every ruling, limits, exceptions, evidence and a suggestion. */
export function richVerdict(): GateVerdict {
  const rows = [
    worse("difficulty-spike:furnace", [0, 20], [11, 22]),
    inNewRoom("quit:vault", [9, 12], { status: "worse" }),
    worse("stuck-point:level-02", [9, 20], [21, 22], { kind: "got_larger" }),
    worse("pacing-issue:intro", [1, 20], [11, 22]),
    worse("ui-friction:shop", [1, 20], [12, 22]),
    row("negative-moment:boss", [2, 20], [7, 22], { pValue: 0.04, adjustedPValue: 0.4 }),
    row("confusion:map", [4, 20], [1, 22], { status: "ruled out" }),
    worse("crash", [1, 20], [12, 22], { metric: "crash", name: "crash", family: "crash", subject: null }),
    inNewRoom("quit:attic", [2, 3], {
      status: "not comparable",
      reason: "room is new, and few entered it",
      pValue: null,
      adjustedPValue: null,
    }),
  ];
  const verdict = judge(
    gateInput(rows, {
      a: build("0.8.0", 20, { stats: { engagementRate: 0.8, medianActiveSec: 900 } }),
      b: build("0.9.0", 22, { stats: { engagementRate: 0.7, medianActiveSec: 870 } }),
      notes: ["1 session of 0.9.0 still receives events and is left out."],
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
        },
      },
    }),
  );
  return {
    ...verdict,
    checks: verdict.checks.map((check) =>
      check.id === "difficulty-spike:furnace"
        ? {
            ...check,
            evidence: [
              {
                insightId: "ins_01",
                sessionId: "ses_07",
                title: "Died nine times at the furnace",
                activeSec: null,
              },
              { insightId: "ins_02", sessionId: "ses_09", title: null, activeSec: null },
            ],
          }
        : check,
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

/** The verdict for two builds that do not differ. */
export const passedVerdict = (): GateVerdict => judge(gateInput([row("confusion:map", [6, 20], [5, 22])]));

/** The verdict for too few testers. */
export const inconclusiveVerdict = (): GateVerdict =>
  judge(gateInput([row("confusion:map", [6, 20], [2, 2])], { b: build("0.9.0", 2) }));

/** The verdict for a service that does not report what each tester did. */
export const untestedVerdict = (): GateVerdict =>
  judge(gateInput([reported("difficulty-spike:furnace", "introduced", 50)], { ...UNTESTED }));

/** A change as a service reports it that has only the document. */
export const reported = (tag: string, kind: string, points: number): TitledRow =>
  row(tag, [0, 20], [0, 22], {
    ...{ kind, difference: points / 100, limit: null, pValue: null, adjustedPValue: null },
    a: { total: 20, count: null, value: null },
    b: { total: 22, count: null, value: null },
  });

/** What is known of the builds of such a service. */
export const UNTESTED = {
  scorecard: null,
  a: build("0.8.0", 20, { ended: null, analyzed: null }),
  b: build("0.9.0", 22, { ended: null, analyzed: null }),
  notes: ["This service does not report what each tester did, so nothing is tested."],
} as const satisfies Partial<GateInput>;
