/** The gate's report for a terminal: each kind of verdict, and escaping. */

import { describe, expect, test } from "vitest";
import { judge } from "../../../src/gate/judge.ts";
import { answerGate } from "../../../src/render/gate/answer.ts";
import { gateJson } from "../../../src/render/gate/json.ts";
import { gateJunit } from "../../../src/render/gate/junit.ts";
import { gateMarkdown } from "../../../src/render/gate/markdown.ts";
import { gateView } from "../../../src/render/gate/text.ts";
import { displayWidth } from "../../../src/render/text.ts";
import {
  build,
  gateInput,
  inconclusiveVerdict,
  passedVerdict,
  pointsVerdict,
  richVerdict,
} from "../../gate/samples.ts";
import fc from "../../property.ts";
import { forbiddenIn, terminal } from "../samples.ts";
import { commandsIn, hostileVerdict, verdicts } from "./samples.ts";

const options = terminal({ width: 100 });

describe("the view", () => {
  test("shows failures with evidence, limits and notes", () => {
    expect(`\n${gateView(richVerdict(), options)}`).toMatchInlineSnapshot(`
      "
      ember: 0.8.0 (20 testers) to 0.9.0 (22 testers), in production

      ✗ FAILED: 3 failures (2 tags, 1 limit), 2 warnings (1 tag, 1 limit), 5 tags compared.
      Build 0.9.0 has friction that is worse than in 0.8.0: Difficulty spike in furnace (11 of 22 testers,
      before 0 of 20); Bugs: save (12 of 22 testers, before 1 of 20). Build 0.9.0 crosses the limits of
      engagementRate. With 20 and 22 testers, a new problem must affect 6 of 22 to be noticed.

      ✗ Failed (2)
      FRICTION                     TESTERS       DIFF (PP)  LIMIT (PP)  P-VALUE  TAG
      ───────────────────────────  ────────────  ─────────  ──────────  ───────  ────────────────────────
      Difficulty spike in furnace  0/20 → 11/22      +50.0         +10   0.0002  difficulty-spike:furnace
      Bugs: save                   1/20 → 12/22      +49.5         +10    0.001  bug-report:save
        Evidence for Difficulty spike in furnace (difficulty-spike:furnace):
          ins_01  Died nine times at the furnace
          ins_02

      ! Warning (1)
      FRICTION                 TESTERS       DIFF (PP)  LIMIT (PP)  P-VALUE  TAG
      ───────────────────────  ────────────  ─────────  ──────────  ───────  ────────────────────
      Stuck point in level-02  9/20 → 21/22      +50.5         +10  0.00053  stuck-point:level-02

      ? Not significant (1)
      FRICTION              TESTERS      DIFF (PP)  LIMIT (PP)  P-VALUE  TAG
      ────────────────────  ───────────  ─────────  ──────────  ───────  ────────────────────
      Left boss unfinished  2/20 → 7/22      +21.8         +10     0.21  negative-moment:boss

      ? Too few testers (1)
      FRICTION             TESTERS       DIFF (PP)  LIMIT (PP)  P-VALUE  TESTERS NEEDED  TAG
      ───────────────────  ────────────  ─────────  ──────────  ───────  ──────────────  ────────────────
      UI friction in shop  1/20 → 12/22      +49.5         +10        -              50  ui-friction:shop

      Allowed (1)
      FRICTION              TESTERS       DIFF (PP)  LIMIT (PP)  P-VALUE  REASON        TAG
      ────────────────────  ────────────  ─────────  ──────────  ───────  ────────────  ──────────────────
      Pacing issue in       1/20 → 11/22      +45.0         +10        -  PT-12: the    pacing-issue:intro
      intro                                                               intro is
                                                                          being cut

      Not worse (1): use --wide to list them

      Limits
      METRIC                RESULT  VALUE         LIMIT
      ────────────────────  ──────  ────────────  ────────────────────────
      engagementRate        failed  70.0%         at least 75.0%
      medianActiveSec       passed  870 s         at least 600 s
      medianActiveSec       warned  fell by 3.3%  a decrease of at most 1%
      bugReportsPerSession  passed  0.27          at most 2

      Notes
        UI friction in shop (ui-friction:shop) got larger: +49.5 percentage points, but its rule requires
        50 testers per build (the builds have 20 and 22).
        The exception for pacing-issue:* expires on 2026-03-05.
        The exception for bug-report:* expired on 2026-02-01. The tag is checked again.

      Suggestions (not part of the verdict)
        Place a checkpoint before the furnace. Half of the testers fell.

      Not significant: the increase may be chance (corrected p-value above 0.05).
      All testers count, even if those of one build played more, because what each tester played is not
      known. Metrics with limits are of all environments and not tested. P-values: one-sided Fisher's
      exact test, corrected for the number of compared tags (Westfall and Wolfinger).
      "
    `);
  });

  test("is short for a passed verdict", () => {
    expect(`\n${gateView(passedVerdict(), options)}`).toMatchInlineSnapshot(`
      "
      ember: 0.8.0 (20 testers) to 0.9.0 (22 testers), in production

      ✓ PASSED: No failures, 1 tag compared.
      Build 0.9.0 is not measurably worse than 0.8.0: no friction increased significantly beyond its limit
      (1 tag compared). With 20 and 22 testers, a new problem must affect 6 of 22 to be noticed.

      Not worse (1): use --wide to list them

      All testers count, even if those of one build played more, because what each tester played is not
      known. Metrics with limits are of all environments and not tested. P-values: one-sided Fisher's
      exact test, corrected for the number of compared tags (Westfall and Wolfinger).
      "
    `);
  });

  test("shows the reasons of an inconclusive verdict, here for a screen reader", () => {
    expect(`\n${gateView(inconclusiveVerdict(), { ...options, plain: true })}`).toMatchInlineSnapshot(`
      "
      ember: 0.8.0 (20 testers) to 0.9.0 (2 testers), in production

      INCONCLUSIVE: Not enough data to decide.
      It is not known whether build 0.9.0 is worse than 0.8.0.
        build 0.9.0 has 2 testers in production; at least 5 are required

      Too few testers (1)
      FRICTION          TESTERS            DIFF (PP)  LIMIT (PP)  P-VALUE  TESTERS NEEDED  TAG
      Confusion in map  6 of 20 to 2 of 2      +70.0         +10        -               5  confusion:map

      No tags were compared.
      "
    `);
  });

  test("shows that increases were not tested", () => {
    expect(`\n${gateView(pointsVerdict(), options)}`).toMatchInlineSnapshot(`
      "
      ember: 0.8.0 (20 testers) to 0.9.0 (22 testers), in production

      ✗ FAILED: 1 failure, 1 tag compared.
      Build 0.9.0 has friction that is worse than in 0.8.0: Difficulty spike in furnace.

      ✗ Failed (1)
      FRICTION                     TESTERS  DIFF (PP)  LIMIT (PP)  P-VALUE  TAG
      ───────────────────────────  ───────  ─────────  ──────────  ───────  ────────────────────────
      Difficulty spike in furnace  -            +50.0         +10        -  difficulty-spike:furnace

      Notes
        The service does not report testers by tag, so increases are not tested for statistical
        significance. They may be chance.

      Increases are compared in percentage points only, without a test for statistical significance.
      "
    `);
  });

  test.each([
    ["fail", "INCONCLUSIVE: "],
    ["warn", "INCONCLUSIVE, treated as a warning (onInconclusive: warn): "],
    ["pass", "INCONCLUSIVE, treated as passed (onInconclusive: pass): "],
  ] as const)("shows the effect of an inconclusive verdict with onInconclusive %s", (effect, text) => {
    expect(gateView(inconclusiveVerdict(), options, effect)).toContain(text);
  });

  test("separates tags that did not get worse from those that a rule turned off", () => {
    const [finding] = passedVerdict().findings;
    if (finding === undefined) throw new Error("no findings");
    const off = { ...finding, status: "off" as const };
    const found = { ...finding.found, judged: null };
    const findings = [
      { ...off, kind: "resolved", found: { ...found, deltaPct: -30 } },
      { ...off, kind: "carried_over", found: { ...found, deltaPct: -3 } },
      { ...off, kind: "carried_over", found: { ...found, deltaPct: 0 } },
      { ...off, kind: "carried_over", found: { ...found, deltaPct: 3 } },
      { ...off, kind: "introduced", found: { ...found, deltaPct: 30 } },
    ];
    const view = gateView({ ...passedVerdict(), findings }, options);
    expect(view).toContain("Not worse (3): use --wide to list them\n");
    expect(view).toContain("Turned off (2): use --wide to list them\n");
  });

  test("does not call a tag resolved or carried over if the judged testers do not show it", () => {
    const verdict = judge(gateInput(build("1", 20, { "confusion:x": 1 }), build("2", 20)));
    const [finding] = verdict.findings;
    if (!finding?.found.judged) throw new Error("no judged finding");
    const unseen = { ...finding.found.judged, kind: "carried_over", testersA: 0, totalA: 0, totalB: 0 };
    const other = { ...finding, found: { ...finding.found, judged: unseen } };
    expect([finding.kind, finding.found.judged.kind]).toEqual(["resolved", "resolved"]);
    const view = gateView({ ...verdict, findings: [finding, other] }, { ...options, wide: true });
    expect(view).toMatch(/Not seen again +1\/20 → 0\/20/);
    expect(view).toMatch(/Not in judged sessions +0\/0 → 0\/0/);
    expect(view).toContain("Not in judged sessions: only sessions that are not judged have the tag.");
    expect(view).not.toMatch(/Resolved|Carried over/);
  });

  test("says that too few testers are the reason only if they are", () => {
    const verdict = (testers: number, versions: number[]) => {
      const a = { ...build("1", testers), analysisVersions: [1] };
      return judge(
        gateInput(a, { ...build("2", testers, { "confusion:x": testers }), analysisVersions: versions }),
      );
    };
    const [outdated, few] = [verdict(20, [2]), verdict(4, [1])];
    expect([outdated, few].map(({ findings }) => findings[0]?.status)).toEqual(["unsure", "unsure"]);
    expect(gateView(few, options)).toMatch(/Too few testers \(1\)(.|\n)*TESTERS NEEDED/);
    expect(gateView(outdated, options)).toContain("Not judged (1)");
    expect(gateView(outdated, options)).not.toMatch(/few testers|NEEDED/i);
    expect(gateJunit(outdated, { now: 0, onInconclusive: "fail" })).toContain('message="not judged: ');
    expect(gateMarkdown(outdated, { maxBytes: 9_000 })).not.toContain("needed");
  });

  test("answers with ratings and completed rooms if both are known", () => {
    const createOutcomes = (mean: number, roomsCompleted: number) => ({
      completion: { roomsEntered: 50, roomsCompleted },
      ratings: [{ formId: "f", fieldId: "fun", label: "Was it fun?", testers: 12, mean }],
      rooms: [],
    });
    const outcomes = { a: createOutcomes(3.94, 40), b: createOutcomes(3.4, 30) };
    expect(answerGate({ ...passedVerdict(), outcomes }).slice(-2)).toEqual([
      "Average rating of “Was it fun?”: 3.9 in 0.8.0 (12 testers), 3.4 in 0.9.0 (12 testers).",
      "Testers completed 40 of 50 rooms they entered in 0.8.0 and 30 of 50 in 0.9.0.",
    ]);
    expect(answerGate(passedVerdict()).join(" ")).not.toMatch(/rating|completed/);
  });

  test.each([
    ["off", "ignored by the rules or --fail-on"],
    ["warn", "only a warning"],
  ] as const)("names friction that increased if its rule is %s", (level, tolerance) => {
    const config = { kinds: { introduced: { level }, got_larger: { level: "error" as const } } };
    const verdict = judge(gateInput(build("1", 20), build("2", 20, { "confusion:x": 18 }), { config }));
    expect([verdict.verdict, answerGate(verdict)[0]]).toEqual([
      "passed",
      `Build 2 passes, although friction increased beyond its limit: Confusion in x (18 of 20 testers, before 0 of 20), ${tolerance}.`,
    ]);
  });

  test("lists collapsed findings only with --wide", () => {
    expect(gateView(richVerdict(), options)).not.toContain("confusion:map");
    expect(gateView(richVerdict(), { ...options, wide: true })).toContain("confusion:map");
  });

  test("has the same text without color, and no symbols for a screen reader", () => {
    for (const [, verdict] of verdicts) {
      const colored = gateView(verdict, { ...options, color: 1 });
      expect(colored).toContain("\x1b[");
      expect(colored.replace(/\x1b\[[\d;]*m/g, "")).toBe(gateView(verdict, options));
      expect(gateView(verdict, { ...options, plain: true, color: 1 })).not.toMatch(/[✗✓?!→─\x1b]/);
    }
  });
});

test("text never controls the terminal or a CI runner, and stays within the width", () => {
  fc.assert(
    fc.property(hostileVerdict, fc.boolean(), fc.boolean(), (verdict, plain, tty) => {
      const view = gateView(verdict, { ...options, plain, tty });
      expect(forbiddenIn(view, "\n\u200d")).toEqual([]);
      expect(commandsIn(view)).toEqual([]);
      // Escaping a command adds a backslash.
      if (tty)
        for (const line of view.split("\n"))
          expect(displayWidth(line.replaceAll("\\", ""))).toBeLessThanOrEqual(100);
      const heads = view
        .split("\n")
        .filter((line) => /^(✗ |✓ |\? )?(FAILED|PASSED|INCONCLUSIVE):/.test(line));
      expect(heads).toHaveLength(1);
    }),
  );
});

describe("as JSON", () => {
  test.each(verdicts)("%s is the unchanged verdict", (_name, verdict) => {
    expect(JSON.parse(gateJson(verdict))).toEqual(verdict);
  });

  test("keeps any text without commands for a CI runner", () => {
    fc.assert(
      fc.property(hostileVerdict, (verdict) => {
        const json = gateJson(verdict);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(verdict)));
        expect(forbiddenIn(json, "\n\u200d")).toEqual([]);
        expect(commandsIn(json)).toEqual([]);
      }),
    );
  });
});
