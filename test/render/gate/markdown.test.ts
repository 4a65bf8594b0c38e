/** The gate as Markdown: the marker, escaping and the size limit. */

import { describe, expect, test } from "vitest";
import type { GateVerdict } from "../../../src/gate/verdict.ts";
import { gateComment, gateMarkdown, gateMarker } from "../../../src/render/gate/markdown.ts";
import { inconclusiveVerdict, passedVerdict, richVerdict } from "../../gate/samples.ts";
import fc from "../../property.ts";
import { forbiddenIn, hostileText } from "../samples.ts";
import { commandsIn, hostileVerdict } from "./samples.ts";

/** The checks that have this ruling, or that do not. */
const withRuling = (ruling: string, expected: boolean) =>
  richVerdict().checks.filter((check) => (check.ruling === ruling) === expected);

describe("the comment", () => {
  test("lists failures, limits, other rows and notes", () => {
    expect(`\n${gateComment(richVerdict())}`).toMatchInlineSnapshot(`
      "
      ### GATE FAILED: 0.9.0 vs 0.8.0, 3 of 8 checks failed, 2 warnings

      ember · production · 20 → 22 testers

      Watch (may be chance): negative-moment:boss 2/20 → 7/22, quit:attic 2/3

      | Result | What testers did | Tag or metric | Found | Evidence |
      | --- | --- | --- | --- | --- |
      | ❌ failed | Difficulty spike in furnace | difficulty-spike:furnace | 0/20 → 11/22, +50 pts, limit +10 | ins_01 in ses_07: Died nine times at the furnace<br>ins_02 in ses_09 |
      | ❌ failed | Quit in vault | quit:vault | 9/12 who entered, limit 40% |  |
      | ⚠️ warning | Stuck point in level-02 | stuck-point:level-02 | 9/20 → 21/22, +50 pts, limit +10 |  |

      | Result | Metric | Limit | Value |
      | --- | --- | --- | --- |
      | failed | engagementRate | at least 75.0% | 70.0% |
      | passed | medianActiveSec | at least 600 s | 870 s |
      | warned | medianActiveSec | a decrease of at most 1% | fell by 3.3% |

      <details><summary>6 other rows</summary>

      | Result | What testers did | Tag or metric | Found | Reason |
      | --- | --- | --- | --- | --- |
      | allowed | Pacing issue in intro | pacing-issue:intro | 1/20 → 11/22, +45 pts, limit +10 | PT-12: the intro is being cut |
      | too few testers | UI friction in shop | ui-friction:shop | 1/20 → 12/22, +50 pts, limit +10 |  |
      | may be chance | Left boss unfinished | negative-moment:boss | 2/20 → 7/22, +22 pts, limit +10 |  |
      | passed | Confusion in map | confusion:map | 4/20 → 1/22, -15 pts, limit +10 |  |
      | shown only | Had a crash | crash | 1/20 → 12/22, +50 pts |  |
      | not comparable | Quit in attic | quit:attic | 2/3 who entered, limit 40% | room is new, and few entered it |

      </details>

      <details><summary>Suggestions (not part of the verdict)</summary>

      - Place a checkpoint before the furnace: Half of the testers fell.

      </details>

      - A row is worse if its change is larger than chance, corrected for all rows of its family (single-step min-p over random divisions of the testers). Friction and crashes are compared in equally long play.
      - 1 session of 0.9.0 still receives events and is left out.
      - The exception for pacing-issue:\\* expires on 2026-03-05.
      - The exception for bug-report:\\* expired on 2026-02-01.

      <!-- playtest-gate:ember:production -->
      "
    `);
  });

  test("is short for a passed verdict", () => {
    expect(`\n${gateComment(passedVerdict())}`).toMatchInlineSnapshot(`
      "
      ### GATE PASSED: 0.9.0 vs 0.8.0, 1 check, none failed

      ember · production · 20 → 22 testers

      <details><summary>1 row</summary>

      | Result | What testers did | Tag or metric | Found | Reason |
      | --- | --- | --- | --- | --- |
      | passed | Confusion in map | confusion:map | 6/20 → 5/22, -7 pts, limit +10 |  |

      </details>

      - A row is worse if its change is larger than chance, corrected for all rows of its family (single-step min-p over random divisions of the testers). Friction and crashes are compared in equally long play.

      <!-- playtest-gate:ember:production -->
      "
    `);
  });

  test.each([
    ["passed", passedVerdict(), "GATE PASSED: 0.9.0 vs 0.8.0, 1 check, none failed"],
    ["inconclusive", inconclusiveVerdict(), "NOT ENOUGH DATA: 0.9.0 vs 0.8.0, nothing checked"],
    [
      "passed, with warnings",
      { ...passedVerdict(), checks: withRuling("warned", true) },
      "GATE PASSED: 0.9.0 vs 0.8.0, 1 check, 1 warning",
    ],
    [
      "one failed row",
      { ...richVerdict(), checks: withRuling("failed", true).slice(0, 1), limits: [] },
      "GATE FAILED: 0.9.0 vs 0.8.0, 1 of 5 checks failed",
    ],
    [
      "only a limit",
      { ...richVerdict(), checks: [], judged: 0 },
      "GATE FAILED: 0.9.0 vs 0.8.0, 1 of 3 checks failed, 1 warning",
    ],
  ])("starts with the verdict in one line: %s", (_what, verdict, title) => {
    expect(gateComment(verdict).split("\n")[0]).toBe(`### ${title}`);
  });

  test("has the reasons of an inconclusive verdict", () => {
    expect(gateComment(inconclusiveVerdict())).toContain("- 0.9.0 has 2 testers in production, 5 needed\n");
  });
});

describe("the marker", () => {
  test("is unique for each game and environment", () => {
    expect(gateMarker({ game: "ember", environment: "production" })).toBe(
      "<!-- playtest-gate:ember:production -->",
    );
    expect(gateMarker({ game: "a:b", environment: "c" })).not.toBe(
      gateMarker({ game: "a", environment: "b:c" }),
    );
  });

  test("is one HTML comment on one line for any names", () => {
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

/** Removes from a line what `escapeMarkdown` and the report itself write. */
const stripMarkup = (line: string) =>
  line
    .replaceAll("<br>", "")
    .replaceAll("<!-- -->", "\0")
    .replace(/^(<details><summary>[\w ,:()]+<\/summary>|<\/details>|<!-- playtest-gate:\S* -->)$/, "")
    .replace(/\\[\\`*|[\]~$!{}_]/g, "");

test("text never becomes HTML, code, a link, a mention, a table or a heading", () => {
  fc.assert(
    fc.property(hostileVerdict, (verdict) => {
      const comment = gateComment(verdict);
      expect(forbiddenIn(comment, "\n\u200d")).toEqual([]);
      expect(commandsIn(comment)).toEqual([]);
      const lines = comment.split("\n");
      expect(lines.filter((line) => line.startsWith("#"))).toHaveLength(1);
      for (const line of lines.map(stripMarkup)) {
        expect(line).not.toMatch(/[`*<>[\]]|@(?!\0)|:\/\/|&(?!amp;|lt;|gt;)/);
        const pipes = line.split("|").length - 1;
        expect([0, 5, 6]).toContain(pipes);
      }
      expect(comment.split("<details>")).toHaveLength(comment.split("</details>").length);
    }),
  );
});

describe("the size", () => {
  /** A verdict with this many failed rows with long names and evidence, and nothing else. */
  function largeVerdict(count: number, id = "x".repeat(200)): GateVerdict {
    const rich = richVerdict();
    const [first] = withRuling("failed", true);
    if (first === undefined) throw new Error("no failures");
    const checks = Array.from({ length: count }, (_, at) => ({ ...first, id: `${id}${at}` }));
    return { ...rich, checks, limits: [], notes: [], suggestions: [] };
  }

  test("stays within GitHub's limit, and the comment says how much was left out", () => {
    const comment = gateComment(largeVerdict(2000));
    expect(comment.length).toBeLessThanOrEqual(65_536);
    expect(comment.length).toBeGreaterThan(60_000);
    const left = Number(
      /(\d+) lines left out to stay within GitHub's size limit\.\n\n<!-- playtest-gate:\S+ -->\n$/.exec(
        comment,
      )?.[1],
    );
    const shown = comment.split("\n").filter((line) => line.startsWith("| ❌ failed")).length;
    expect(shown).toBeGreaterThan(100);
    // The method is a line too.
    expect(left).toBe(2000 - shown + (comment.includes("- A row is worse if") ? 0 : 1));
  });

  test("is limited for texts of any length", () => {
    for (const piece of ["@", "\u{e0041}", "👩‍", "日", "\n", "\ud800"]) {
      const verdict = largeVerdict(50, piece.repeat(50_000));
      const long = { ...verdict, game: piece.repeat(70_000), environment: piece.repeat(70_000) };
      expect(gateComment(long).length).toBeLessThanOrEqual(65_536);
      expect(gateComment(long)).toContain("❌ failed");
    }
  });

  test("is not mentioned if nothing was left out", () => {
    expect(gateMarkdown(passedVerdict(), { maxBytes: 100_000 })).not.toContain("left out");
  });
});
