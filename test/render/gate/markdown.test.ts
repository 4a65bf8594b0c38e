/** The gate as Markdown: the marker, escaping and the size limit. */

import { describe, expect, test } from "vitest";
import type { GateVerdict } from "../../../src/gate/verdict.ts";
import { gateComment, gateMarkdown, gateMarker } from "../../../src/render/gate/markdown.ts";
import { inconclusiveVerdict, passedVerdict, richVerdict } from "../../gate/samples.ts";
import fc from "../../property.ts";
import { forbiddenIn, hostileText } from "../samples.ts";
import { commandsIn, hostileVerdict } from "./samples.ts";

/** The findings that have this status, or that do not. */
const withStatus = (status: string, expected: boolean) =>
  richVerdict().findings.filter((finding) => (finding.status === status) === expected);

describe("the comment", () => {
  test("lists failures, limits, other tags and notes", () => {
    expect(`\n${gateComment(richVerdict())}`).toMatchInlineSnapshot(`
      "
      ### Gate failed: 2 problems are new or worse in 0.9.0 than in 0.8.0, and 1 limit is crossed in 0.9.0

      3 failures (2 tags, 1 limit), 2 warnings (1 tag, 1 limit), 5 tags compared. Compared ember: 0.8.0 (20 testers) to 0.9.0 (22 testers), in production.

      Build 0.9.0 has friction that is worse than in 0.8.0: Difficulty spike in furnace (11 of 22 testers, before 0 of 20); Bugs: save (12 of 22 testers, before 1 of 20). Build 0.9.0 crosses the limits of engagementRate. With 20 and 22 testers, a new problem must affect 6 of 22 to be noticed.

      | Result | Friction | Tag | Change | Testers | Diff (pp) | Limit (pp) | p-value | Evidence |
      | --- | --- | --- | --- | --- | --- | --- | --- | --- |
      | ❌ failed | Difficulty spike in furnace | difficulty-spike:furnace | Introduced | 0 of 20 → 11 of 22 | +50.0 | +10 | 0.0002 | ins_01 in ses_07: Died nine times at the furnace<br>ins_02 in ses_09 |
      | ❌ failed | Bugs: save | bug-report:save | Got larger | 1 of 20 → 12 of 22 | +49.5 | +10 | 0.001 |  |
      | ⚠️ warning | Stuck point in level-02 | stuck-point:level-02 | Got larger | 9 of 20 → 21 of 22 | +50.5 | +10 | 0.00053 |  |

      | Result | Metric | Limit | Value |
      | --- | --- | --- | --- |
      | failed | engagementRate | at least 75.0% | 70.0% |
      | passed | medianActiveSec | at least 600 s | 870 s |
      | warned | medianActiveSec | a decrease of at most 1% | fell by 3.3% |
      | passed | bugReportsPerSession | at most 2 | 0.27 |

      <details><summary>4 other tags</summary>

      | Result | Friction | Tag | Change | Testers | Diff (pp) | Limit (pp) | p-value | Reason |
      | --- | --- | --- | --- | --- | --- | --- | --- | --- |
      | Not significant | Left boss unfinished | negative-moment:boss | Got larger | 2 of 20 → 7 of 22 | +21.8 | +10 | 0.21 |  |
      | Too few testers | UI friction in shop | ui-friction:shop | Got larger | 1 of 20 → 12 of 22 | +49.5 | +10 (50 testers needed) |  |  |
      | Allowed | Pacing issue in intro | pacing-issue:intro | Got larger | 1 of 20 → 11 of 22 | +45.0 | +10 |  | PT-12: the intro is being cut |
      | Not worse | Confusion in map | confusion:map | Got smaller | 4 of 20 → 1 of 22 | -15.5 | +10 | 1 |  |

      </details>

      <details><summary>Suggestions (not part of the verdict)</summary>

      - Place a checkpoint before the furnace: Half of the testers fell.

      </details>

      - Not significant: the increase may be chance (corrected p-value above 0.05).
      - All testers count, even if those of one build played more, because what each tester played is not known.
      - Metrics with limits are of all environments and not tested.
      - P-values: one-sided Fisher's exact test, corrected for the number of compared tags (Westfall and Wolfinger).
      - UI friction in shop (ui-friction:shop) got larger: +49.5 percentage points, but its rule requires 50 testers per build (the builds have 20 and 22).
      - The exception for pacing-issue:\\* expires on 2026-03-05.
      - The exception for bug-report:\\* expired on 2026-02-01. The tag is checked again.

      <!-- playtest-gate:ember:production -->
      "
    `);
  });

  test("is short for a passed verdict", () => {
    expect(`\n${gateComment(passedVerdict())}`).toMatchInlineSnapshot(`
      "
      ### Gate passed: 0.9.0 is not measurably worse than 0.8.0

      No failures, 1 tag compared. Compared ember: 0.8.0 (20 testers) to 0.9.0 (22 testers), in production.

      Build 0.9.0 is not measurably worse than 0.8.0: no friction increased significantly beyond its limit (1 tag compared). With 20 and 22 testers, a new problem must affect 6 of 22 to be noticed.

      <details><summary>1 tag</summary>

      | Result | Friction | Tag | Change | Testers | Diff (pp) | Limit (pp) | p-value | Reason |
      | --- | --- | --- | --- | --- | --- | --- | --- | --- |
      | Not worse | Confusion in map | confusion:map | Carried over | 6 of 20 → 5 of 22 | -7.3 | +10 | 0.81 |  |

      </details>

      - Carried over: in both builds, less than 10 percentage points apart.
      - All testers count, even if those of one build played more, because what each tester played is not known.
      - Metrics with limits are of all environments and not tested.
      - P-values: one-sided Fisher's exact test, corrected for the number of compared tags (Westfall and Wolfinger).

      <!-- playtest-gate:ember:production -->
      "
    `);
  });

  test.each([
    ["passed", passedVerdict(), "Gate passed: 0.9.0 is not measurably worse than 0.8.0"],
    [
      "inconclusive",
      inconclusiveVerdict(),
      "Gate inconclusive: it is not known whether 0.9.0 is worse than 0.8.0",
    ],
    [
      "passed, with warnings",
      { ...richVerdict(), verdict: "passed" as const, findings: withStatus("failed", false) },
      "Gate passed: 3 changes from 0.8.0 to 0.9.0 beyond a limit, but allowed or only a warning",
    ],
    [
      "one failed tag",
      { ...richVerdict(), findings: withStatus("failed", true).slice(0, 1), limits: [] },
      "Gate failed: 1 problem is new or worse in 0.9.0 than in 0.8.0",
    ],
    ["only a limit", { ...richVerdict(), findings: [] }, "Gate failed: 1 limit is crossed in 0.9.0"],
  ])("starts with the verdict in one line: %s", (_what, verdict, title) => {
    expect(gateComment(verdict).split("\n")[0]).toBe(`### ${title}`);
  });

  test("has the reasons of an inconclusive verdict", () => {
    expect(gateComment(inconclusiveVerdict())).toContain(
      "- build 0.9.0 has 2 testers in production; at least 5 are required",
    );
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
        expect([0, 5, 10]).toContain(pipes);
      }
      expect(comment.split("<details>")).toHaveLength(comment.split("</details>").length);
    }),
  );
});

describe("the size", () => {
  /** A verdict with this many failed tags with long names and evidence. */
  function largeVerdict(count: number, tag = "x".repeat(200)): GateVerdict {
    const rich = richVerdict();
    const [first] = rich.findings.filter(({ status }) => status === "failed");
    if (first === undefined) throw new Error("no failures");
    const findings = Array.from({ length: count }, (_, at) => ({ ...first, tag: `${tag}${at}` }));
    return { ...rich, findings };
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
    const others = comment.split("\n").filter((line) => /^\| (passed|failed|warned) /.test(line)).length;
    expect(shown).toBeGreaterThan(100);
    expect(left).toBe(
      2000 - shown + (4 - others) + (comment.includes("checkpoint") ? 0 : 1) + missingNotes(comment),
    );
  });

  /** The number of missing notes: three about the method, the tag with too few testers, and two exceptions. */
  const missingNotes = (comment: string) =>
    [
      "- All testers count",
      "- Metrics with limits are",
      "- P-values: ",
      "- UI friction in shop (ui-friction:shop) got",
      "- The exception for pacing",
      "- The exception for bug",
    ].filter((start) => !comment.includes(start)).length;

  test("is limited for texts of any length", () => {
    for (const piece of ["@", "\u{e0041}", "👩‍", "日", "\n", "\ud800"]) {
      const verdict = largeVerdict(50, piece.repeat(50_000));
      const long = { ...verdict, game: piece.repeat(70_000), environment: piece.repeat(70_000) };
      expect(gateComment(long).length).toBeLessThanOrEqual(65_536);
      expect(gateComment(long)).toContain("❌ failed");
    }
  });

  test("is not mentioned if nothing was left out", () => {
    expect(gateMarkdown(richVerdict(), { maxBytes: 100_000 })).not.toContain("left out");
  });
});
