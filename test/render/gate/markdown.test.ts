/** The gate as Markdown: a comment that is found again, holds any text as text, and is never too long. */

import { describe, expect, test } from "vitest";
import type { GateVerdict } from "../../../src/gate/verdict.ts";
import { gateComment, gateMarkdown, gateMarker } from "../../../src/render/gate/markdown.ts";
import { inconclusiveVerdict, passedVerdict, richVerdict } from "../../gate/samples.ts";
import fc from "../../property.ts";
import { forbiddenIn, hostileText } from "../samples.ts";
import { commandsIn, hostileVerdict } from "./samples.ts";

describe("a verdict", () => {
  test("that failed", () => {
    expect(`\n${gateComment(richVerdict())}`).toMatchInlineSnapshot(`
      "
      <!-- playtest-gate:ember:production -->
      ### Playtest gate ❌ failed

      3 failures among 5 tags judged; 2 warnings. Compared ember: 0.8.0 (20 testers) to 0.9.0 (22 testers), in production.

      | Result | Tag | Change | Testers | Points | Expected | Chance | Evidence |
      | --- | --- | --- | --- | --- | --- | --- | --- |
      | ❌ failed | difficulty-spike:furnace | introduced | 0 of 20 → 11 of 22 | +50.0 | at most +10 (5 testers, 95 % sure) | 0.0002 | ins_01 in ses_07: Died nine times at the furnace<br>ins_02 in ses_09 |
      | ❌ failed | bug-report:save | got_larger | 1 of 20 → 12 of 22 | +49.5 | at most +10 (5 testers, 95 % sure) | 0.001 |  |
      | ⚠️ warned | stuck-point:level-02 | got_larger | 9 of 20 → 21 of 22 | +50.5 | at most +10 (5 testers, 95 % sure) | 0.00053 |  |

      | Result | Limit | Expected | Found |
      | --- | --- | --- | --- |
      | failed | engagementRate | at least 75.0 % | 70.0 % |
      | passed | medianActiveSec | at least 600 s | 870 s |
      | warned | medianActiveSec | a drop of at most 1 % | -3.3 % |
      | passed | bugReportsPerSession | at most 2 | 0.27 |

      <details><summary>4 other tags</summary>

      | Result | Tag | Change | Testers | Points | Expected | Chance | Reason |
      | --- | --- | --- | --- | --- | --- | --- | --- |
      | Could be chance | negative-moment:boss | got_larger | 2 of 20 → 7 of 22 | +21.8 | at most +10 (5 testers, 95 % sure) | 0.21 |  |
      | Too few testers | ui-friction:shop | got_larger | 1 of 20 → 12 of 22 | +49.5 | at most +10 (50 testers, 95 % sure) |  |  |
      | Allowed | pacing-issue:intro | got_larger | 1 of 20 → 11 of 22 | +45.0 | at most +10 (5 testers, 95 % sure) |  | PT-12: the intro is being cut |
      | No worse, or off | confusion:map | got_smaller | 4 of 20 → 1 of 22 | -15.5 | at most +10 (5 testers, 95 % sure) | 1 |  |

      </details>

      <details><summary>Suggestions: shown, never judged</summary>

      - Place a checkpoint before the furnace: Half of the testers fell.

      </details>

      - Judged by Fisher's exact test, one-sided, corrected for the tags judged (Westfall and Wolfinger).
      - ui-friction:shop was made worse: +49.5 points, but its rule takes 50 testers a build, not 20 and 22.
      - The allowance of pacing-issue:\\* expires on 2026-03-05.
      - The allowance of bug-report:\\* expired on 2026-02-01: it counts again.
      "
    `);
  });

  test("that passed", () => {
    expect(`\n${gateComment(passedVerdict())}`).toMatchInlineSnapshot(`
      "
      <!-- playtest-gate:ember:production -->
      ### Playtest gate ✅ passed

      No failure among 1 tag judged. Compared ember: 0.8.0 (20 testers) to 0.9.0 (22 testers), in production.

      <details><summary>1 other tag</summary>

      | Result | Tag | Change | Testers | Points | Expected | Chance | Reason |
      | --- | --- | --- | --- | --- | --- | --- | --- |
      | No worse, or off | confusion:map | carried_over | 6 of 20 → 5 of 22 | -7.3 | at most +10 (5 testers, 95 % sure) | 0.81 |  |

      </details>

      - Judged by Fisher's exact test, one-sided, corrected for the tags judged (Westfall and Wolfinger).
      "
    `);
  });

  test("that is inconclusive says why", () => {
    expect(gateComment(inconclusiveVerdict())).toContain(
      "- build 0.9.0 has 2 of the 5 testers in production",
    );
  });
});

describe("the marker", () => {
  test("is one for a game and environment", () => {
    expect(gateMarker({ game: "ember", environment: "production" })).toBe(
      "<!-- playtest-gate:ember:production -->",
    );
    expect(gateMarker({ game: "a:b", environment: "c" })).not.toBe(
      gateMarker({ game: "a", environment: "b:c" }),
    );
  });

  test("is one comment on one line for any names", () => {
    fc.assert(
      fc.property(
        hostileText,
        fc.string({ unit: fc.constantFrom("-", ">", "!", "%", "a", "\n") }),
        (game, environment) => {
          const inside = /^<!-- ([\x21-\x7e]+) -->$/.exec(gateMarker({ game, environment }))?.[1];
          expect(inside).toBeDefined();
          expect(inside).not.toMatch(/--|>/);
        },
      ),
    );
  });
});

/** What is left of a line once what `escapeMarkdown` and the report itself write is taken out. */
const bareOf = (line: string) =>
  line
    .replaceAll("<br>", "")
    .replaceAll("<!-- -->", "\0")
    .replace(/^(<details><summary>[\w ,:]+<\/summary>|<\/details>|<!-- playtest-gate:\S* -->)$/, "")
    .replace(/\\[\\`*|[\]~$!{}_]/g, "");

test("any text stays text: no HTML, code, link, mention, table or heading of its own", () => {
  fc.assert(
    fc.property(hostileVerdict, (verdict) => {
      const comment = gateComment(verdict);
      expect(forbiddenIn(comment, "\n\u200d")).toEqual([]);
      expect(commandsIn(comment)).toEqual([]);
      const lines = comment.split("\n");
      expect(lines.filter((line) => line.startsWith("#"))).toHaveLength(1);
      for (const line of lines.map(bareOf)) {
        expect(line).not.toMatch(/[`*<>[\]]|@(?!\0)|:\/\/|&(?!amp;|lt;|gt;)/);
        const pipes = line.split("|").length - 1;
        expect([0, 5, 9]).toContain(pipes);
      }
      expect(comment.split("<details>")).toHaveLength(comment.split("</details>").length);
    }),
  );
});

describe("its size", () => {
  /** So many failed tags, each with a long name and evidence. */
  function large(count: number, tag = "x".repeat(200)): GateVerdict {
    const rich = richVerdict();
    const [first] = rich.findings.filter(({ status }) => status === "failed");
    if (first === undefined) throw new Error("nothing failed");
    const findings = Array.from({ length: count }, (_, at) => ({ ...first, tag: `${tag}${at}` }));
    return { ...rich, findings };
  }

  test("is within what GitHub takes, and says what was cut", () => {
    const comment = gateComment(large(2000));
    expect(comment.length).toBeLessThanOrEqual(65_536);
    expect(comment.length).toBeGreaterThan(60_000);
    const left = Number(/Cut to the size that GitHub takes: (\d+) lines left out\.\n$/.exec(comment)?.[1]);
    const shown = comment.split("\n").filter((line) => line.startsWith("| ❌ failed")).length;
    const others = comment.split("\n").filter((line) => /^\| (passed|failed|warned) /.test(line)).length;
    expect(shown).toBeGreaterThan(100);
    expect(left).toBe(
      2000 - shown + (4 - others) + (comment.includes("checkpoint") ? 0 : 1) + missingNotes(comment),
    );
  });

  /** Of the notes at the end: the method, the tag that is unsure, and two allowances. */
  const missingNotes = (comment: string) =>
    ["- Judged ", "- ui-friction:shop was", "- The allowance of pacing", "- The allowance of bug"].filter(
      (start) => !comment.includes(start),
    ).length;

  test("is so for texts of any length", () => {
    for (const piece of ["@", "\u{e0041}", "👩‍", "日", "\n", "\ud800"]) {
      const verdict = large(50, piece.repeat(50_000));
      const long = { ...verdict, game: piece.repeat(70_000), environment: piece.repeat(70_000) };
      expect(gateComment(long).length).toBeLessThanOrEqual(65_536);
      expect(gateComment(long)).toContain("❌ failed");
    }
  });

  test("nothing is said of a cut where there was none", () => {
    expect(gateMarkdown(richVerdict(), { most: 100_000 })).not.toContain("left out");
  });
});
