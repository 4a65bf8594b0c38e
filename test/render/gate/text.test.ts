/** The gate's report for a terminal: each kind of verdict, and escaping. */

import { describe, expect, test } from "vitest";
import { judge } from "../../../src/gate/judge.ts";
import { gateDocument } from "../../../src/gate/verdict.ts";
import { gateJson } from "../../../src/render/gate/json.ts";
import { concludeGate } from "../../../src/render/gate/summary.ts";
import { gateView } from "../../../src/render/gate/text.ts";
import { displayWidth } from "../../../src/render/text.ts";
import {
  gateInput,
  inconclusiveVerdict,
  inNewRoom,
  passedVerdict,
  richVerdict,
  row,
  untestedVerdict,
  worse,
} from "../../gate/samples.ts";
import fc from "../../property.ts";
import { forbiddenIn, terminal } from "../samples.ts";
import { commandsIn, hostileVerdict, verdicts } from "./samples.ts";

const options = terminal({ width: 100 });

describe("the view", () => {
  test("shows what failed with evidence, limits and notes", () => {
    expect(`\n${gateView(richVerdict(), options)}`).toMatchInlineSnapshot(`
      "
      ✗ GATE FAILED: 0.9.0 vs 0.8.0, 3 of 8 checks failed, 2 warnings
        ember · production · 20 → 22 testers

        difficulty-spike:furnace  0/20 → 11/22, +50 pts, limit +10
            Died nine times at the furnace
            playtest sessions get ses_07
        quit:vault                9/12 who entered, limit 40%, new room
        stuck-point:level-02      9/20 → 21/22, +50 pts, limit +10       warning
        engagementRate is 70.0% (limit: at least 75.0%)
        medianActiveSec fell by 3.3% (limit: a decrease of at most 1%), a warning

        Watch (may be chance): negative-moment:boss 2/20 → 7/22, quit:attic 2/3
        This run can catch a new problem that hits 7 or more of 22 testers.
        1 session of 0.9.0 still receives events and is left out.
        The exception for pacing-issue:* expires on 2026-03-05.
        The exception for bug-report:* expired on 2026-02-01.

      Suggestions (not part of the verdict)
        Place a checkpoint before the furnace. Half of the testers fell.
      "
    `);
  });

  test("fits 80 columns", () => {
    expect(`\n${gateView(richVerdict(), terminal({ width: 80 }))}`).toMatchInlineSnapshot(`
      "
      ✗ GATE FAILED: 0.9.0 vs 0.8.0, 3 of 8 checks failed, 2 warnings
        ember · production · 20 → 22 testers

        difficulty-spike:furnace  0/20 → 11/22, +50 pts, limit +10
            Died nine times at the furnace
            playtest sessions get ses_07
        quit:vault                9/12 who entered, limit 40%, new room
        stuck-point:level-02      9/20 → 21/22, +50 pts, limit +10       warning
        engagementRate is 70.0% (limit: at least 75.0%)
        medianActiveSec fell by 3.3% (limit: a decrease of at most 1%), a warning

        Watch (may be chance): negative-moment:boss 2/20 → 7/22, quit:attic 2/3
        This run can catch a new problem that hits 7 or more of 22 testers.
        1 session of 0.9.0 still receives events and is left out.
        The exception for pacing-issue:* expires on 2026-03-05.
        The exception for bug-report:* expired on 2026-02-01.

      Suggestions (not part of the verdict)
        Place a checkpoint before the furnace. Half of the testers fell.
      "
    `);
  });

  test("is short for a passed verdict", () => {
    expect(`\n${gateView(passedVerdict(), options)}`).toMatchInlineSnapshot(`
      "
      ✓ GATE PASSED: 0.9.0 vs 0.8.0, 1 check, none failed
        ember · production · 20 → 22 testers

        This run can catch a new problem that hits 7 or more of 22 testers.

      GATE PASSED: 0.9.0 vs 0.8.0, 1 check, none failed
      "
    `);
  });

  test("shows the reasons of an inconclusive verdict, here for a screen reader", () => {
    expect(`\n${gateView(inconclusiveVerdict(), { ...options, plain: true })}`).toMatchInlineSnapshot(`
      "
      NOT ENOUGH DATA: 0.9.0 vs 0.8.0, nothing checked
        ember · production · 20 to 2 testers

        0.9.0 has 2 testers in production, 5 needed
      "
    `);
  });

  test("shows that increases were not tested", () => {
    expect(`\n${gateView(untestedVerdict(), options)}`).toMatchInlineSnapshot(`
      "
      ✗ GATE FAILED: 0.9.0 vs 0.8.0, 1 of 1 check failed
        ember · production · 20 → 22 testers

        difficulty-spike:furnace  +50 pts, limit +10

        This service does not report what each tester did, so nothing is tested.
      "
    `);
  });

  test("lists all rows and the method with --wide", () => {
    expect(`\n${gateView(richVerdict(), { ...options, wide: true })}`).toMatchInlineSnapshot(`
      "
      ✗ GATE FAILED: 0.9.0 vs 0.8.0, 3 of 8 checks failed, 2 warnings
        ember · production · 20 → 22 testers

        difficulty-spike:furnace  0/20 → 11/22, +50 pts, limit +10
            Died nine times at the furnace
            playtest sessions get ses_07
        quit:vault                9/12 who entered, limit 40%, new room
        stuck-point:level-02      9/20 → 21/22, +50 pts, limit +10       warning
        engagementRate is 70.0% (limit: at least 75.0%)
        medianActiveSec fell by 3.3% (limit: a decrease of at most 1%), a warning

        Watch (may be chance): negative-moment:boss 2/20 → 7/22, quit:attic 2/3
        This run can catch a new problem that hits 7 or more of 22 testers.
        1 session of 0.9.0 still receives events and is left out.
        The exception for pacing-issue:* expires on 2026-03-05.
        The exception for bug-report:* expired on 2026-02-01.

        failed           difficulty-spike:furnace  0/20 → 11/22, +50 pts, limit +10
        failed           quit:vault                9/12 who entered, limit 40%
        warning          stuck-point:level-02      9/20 → 21/22, +50 pts, limit +10
        allowed          pacing-issue:intro        PT-12: the intro is being cut
        too few testers  ui-friction:shop          1/20 → 12/22, +50 pts, limit +10
        may be chance    negative-moment:boss      2/20 → 7/22, +22 pts, limit +10
        passed           confusion:map             4/20 → 1/22, -15 pts, limit +10
        shown only       crash                     1/20 → 12/22, +50 pts
        not comparable   quit:attic                room is new, and few entered it
        failed           engagementRate            70.0%, limit: at least 75.0%
        passed           medianActiveSec           870 s, limit: at least 600 s
        warned           medianActiveSec           fell by 3.3%, limit: a decrease of at most 1%
        A row is worse if its change is larger than chance, corrected for all rows of its family
        (single-step min-p over random divisions of the testers). Friction and crashes are compared in
        equally long play.

      Suggestions (not part of the verdict)
        Place a checkpoint before the furnace. Half of the testers fell.
      "
    `);
    expect(gateView(richVerdict(), options)).not.toContain("confusion:map");
  });

  test("has at most 25 lines, however many rows failed", () => {
    const rows = Array.from({ length: 40 }, (_, at) => worse(`confusion:${at}`, [0, 20], [15, 22]));
    const view = gateView(judge(gateInput(rows)), options);
    expect(view.split("\n").length).toBeLessThanOrEqual(25);
    expect(view).toContain("40 of 40 checks failed");
    expect(view).toContain("  and 35 more (--wide)\n");
  });

  test("names what a pass has to watch: what may be chance, and new rooms that few entered", () => {
    const few = { status: "not comparable", reason: "room is new, and few entered it" } as const;
    const rows = [
      row("bug-report:observatory", [0, 12], [5, 19], { pValue: 0.04 }),
      inNewRoom("quit:vault", [2, 3], few),
      inNewRoom("quit:attic", [0, 3], few),
      row("confusion:map", [5, 20], [5, 22]),
    ];
    const verdict = judge(gateInput(rows));
    expect(verdict.verdict).toBe("passed");
    expect(gateView(verdict, options)).toContain(
      "  Watch (may be chance): bug-report:observatory 0/12 → 5/19, quit:vault 2/3\n",
    );
  });

  test.each([
    ["fail", "nothing checked\n"],
    ["warn", "nothing checked, treated as a warning\n"],
    ["pass", "nothing checked, treated as passed\n"],
  ] as const)("shows the effect of an inconclusive verdict with onInconclusive %s", (effect, text) => {
    expect(gateView(inconclusiveVerdict(), options, effect)).toContain(text);
  });

  test("ends a log with the verdict and what failed", () => {
    expect([richVerdict(), inconclusiveVerdict()].map(concludeGate)).toEqual([
      "GATE FAILED: 0.9.0 vs 0.8.0, 3 of 8 checks failed, 2 warnings: difficulty-spike:furnace, quit:vault, engagementRate",
      "NOT ENOUGH DATA: 0.9.0 vs 0.8.0, nothing checked: 0.9.0 has 2 testers in production, 5 needed",
    ]);
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
      expect(view).toMatch(/^(✗ |✓ |\? )?(GATE FAILED|GATE PASSED|NOT ENOUGH DATA):\s/);
    }),
  );
});

describe("as JSON", () => {
  test.each(verdicts)("%s is the unchanged verdict, with its summary", (_name, verdict) => {
    const { summary, ...rest } = gateDocument.strict().parse(JSON.parse(gateJson(verdict)));
    expect(rest).toEqual(verdict);
    const { status, changes } = summary;
    const counted = verdict.checks.filter(({ ruling }) => ruling === "failed" || ruling === "warned");
    expect(status).toBe(verdict.verdict);
    expect(changes.map(({ id }) => id).sort()).toEqual(
      counted
        .map(({ id }) => id)
        .sort()
        .slice(0, 5),
    );
  });

  test("keeps any text without commands for a CI runner", () => {
    fc.assert(
      fc.property(hostileVerdict, (verdict) => {
        const json = gateJson(verdict);
        expect(JSON.parse(json)).toMatchObject(JSON.parse(JSON.stringify(verdict)));
        expect(forbiddenIn(json, "\n\u200d")).toEqual([]);
        expect(commandsIn(json)).toEqual([]);
      }),
    );
  });
});
