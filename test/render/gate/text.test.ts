/** The gate at a terminal: each kind of verdict, and no text that breaks out of it. */

import { describe, expect, test } from "vitest";
import { gateJson } from "../../../src/render/gate/json.ts";
import { gateView } from "../../../src/render/gate/text.ts";
import { displayWidth } from "../../../src/render/text.ts";
import { inconclusiveVerdict, passedVerdict, pointsVerdict, richVerdict } from "../../gate/samples.ts";
import fc from "../../property.ts";
import { forbiddenIn, terminal } from "../samples.ts";
import { commandsIn, hostileVerdict, verdicts } from "./samples.ts";

const options = terminal({ width: 100 });

describe("a verdict", () => {
  test("that failed", () => {
    expect(`\n${gateView(richVerdict(), options)}`).toMatchInlineSnapshot(`
      "
      ember: 0.8.0 (20 testers) to 0.9.0 (22 testers), in production
      Judged by Fisher's exact test, one-sided, corrected for the tags judged (Westfall and Wolfinger).

      ✗ FAILED: 3 failures among 5 tags judged; 2 warnings.

      ✗ Failed (2)
      TAG                       CHANGE      TESTERS             POINTS  AT MOST  CHANCE
      ────────────────────────  ──────────  ──────────────────  ──────  ───────  ──────
      difficulty-spike:furnace  introduced  0 of 20 → 11 of 22   +50.0      +10  0.0002
      bug-report:save           got_larger  1 of 20 → 12 of 22   +49.5      +10   0.001
        Found for difficulty-spike:furnace:
          ins_01  Died nine times at the furnace
          ins_02

      ! Warned (1)
      TAG                   CHANGE      TESTERS             POINTS  AT MOST   CHANCE
      ────────────────────  ──────────  ──────────────────  ──────  ───────  ───────
      stuck-point:level-02  got_larger  9 of 20 → 21 of 22   +50.5      +10  0.00053

      ? Could be chance (1)
      TAG                   CHANGE      TESTERS            POINTS  AT MOST  CHANCE
      ────────────────────  ──────────  ─────────────────  ──────  ───────  ──────
      negative-moment:boss  got_larger  2 of 20 → 7 of 22   +21.8      +10    0.21

      ? Too few testers (1)
      TAG               CHANGE      TESTERS             POINTS  AT MOST  CHANCE  TAKES
      ────────────────  ──────────  ──────────────────  ──────  ───────  ──────  ─────
      ui-friction:shop  got_larger  1 of 20 → 12 of 22   +49.5      +10       -     50

      Allowed (1)
      TAG           CHANGE      TESTERS             POINTS  AT MOST  CHANCE  REASON
      ────────────  ──────────  ──────────────────  ──────  ───────  ──────  ─────────────────────────────
      pacing-issu…  got_larger  1 of 20 → 11 of 22   +45.0      +10       -  PT-12: the intro is being cut

      No worse, or off (1)

      Limits
      LIMIT                 RESULT  FOUND   EXPECTED
      ────────────────────  ──────  ──────  ─────────────────────
      engagementRate        failed  70.0 %  at least 75.0 %
      medianActiveSec       passed  870 s   at least 600 s
      medianActiveSec       warned  -3.3 %  a drop of at most 1 %
      bugReportsPerSession  passed  0.27    at most 2

      Notes
        ui-friction:shop was made worse: +49.5 points, but its rule takes 50 testers a build, not 20 and
        22.
        The allowance of pacing-issue:* expires on 2026-03-05.
        The allowance of bug-report:* expired on 2026-02-01: it counts again.

      Suggestions: shown, never judged
        Place a checkpoint before the furnace (70% sure): Half of the testers fell.
      "
    `);
  });

  test("that passed", () => {
    expect(`\n${gateView(passedVerdict(), options)}`).toMatchInlineSnapshot(`
      "
      ember: 0.8.0 (20 testers) to 0.9.0 (22 testers), in production
      Judged by Fisher's exact test, one-sided, corrected for the tags judged (Westfall and Wolfinger).

      ✓ PASSED: No failure among 1 tag judged.

      No worse, or off (1)
      "
    `);
  });

  test("that is inconclusive, for a screen reader", () => {
    expect(`\n${gateView(inconclusiveVerdict(), { ...options, plain: true })}`).toMatchInlineSnapshot(`
      "
      ember: 0.8.0 (20 testers) to 0.9.0 (2 testers), in production
      No tag was judged.

      INCONCLUSIVE: The gate can neither pass nor fail.
        build 0.9.0 has 2 of the 5 testers in production that it takes

      Too few testers (1)
      TAG            CHANGE      TESTERS            POINTS  AT MOST  CHANCE  TAKES
      confusion:map  got_larger  6 of 20 to 2 of 2   +70.0      +10       -      5
      "
    `);
  });

  test("by points alone", () => {
    expect(`\n${gateView(pointsVerdict(), options)}`).toMatchInlineSnapshot(`
      "
      ember: 0.8.0 (20 testers) to 0.9.0 (22 testers), in production
      Judged by points alone, without a test of chance.

      ✗ FAILED: 1 failure among 1 tag judged.

      ✗ Failed (1)
      TAG                       CHANGE      TESTERS  POINTS  AT MOST  CHANCE
      ────────────────────────  ──────────  ───────  ──────  ───────  ──────
      difficulty-spike:furnace  introduced  -         +50.0      +10       -

      Notes
        The service tells no testers by tag, so growth is judged by points alone: chance is not ruled out.
      "
    `);
  });

  test("lists what is not material only where everything is asked for", () => {
    expect(gateView(richVerdict(), options)).not.toContain("confusion:map");
    expect(gateView(richVerdict(), { ...options, wide: true })).toContain("confusion:map");
  });

  test("says the same without colour, and without symbols where it is plain", () => {
    for (const [, verdict] of verdicts) {
      const coloured = gateView(verdict, { ...options, color: 1 });
      expect(coloured).toContain("\x1b[");
      expect(coloured.replace(/\x1b\[[\d;]*m/g, "")).toBe(gateView(verdict, options));
      expect(gateView(verdict, { ...options, plain: true, color: 1 })).not.toMatch(/[✗✓?!→─\x1b]/);
    }
  });
});

test("no text steers the terminal, leaves its width or its line, or commands a CI runner", () => {
  fc.assert(
    fc.property(hostileVerdict, fc.boolean(), fc.boolean(), (verdict, plain, tty) => {
      const view = gateView(verdict, { ...options, plain, tty });
      expect(forbiddenIn(view, "\n\u200d")).toEqual([]);
      expect(commandsIn(view)).toEqual([]);
      // One column more where a command was broken.
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
  test.each(verdicts)("%s is the verdict as it is", (_name, verdict) => {
    expect(JSON.parse(gateJson(verdict))).toEqual(verdict);
  });

  test("keeps any text, and commands nobody", () => {
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
