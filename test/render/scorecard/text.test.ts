/** A scorecard at a terminal: the answer first, few lines, nothing wider than the terminal, and every tag. */
import { describe, expect, test } from "vitest";
import type { ScorecardView } from "../../../src/charts/scorecard.ts";
import type { BuildComparison } from "../../../src/contract/builds.ts";
import type { RenderOptions } from "../../../src/render/options.ts";
import { scorecardView } from "../../../src/render/scorecard/text.ts";
import { displayWidth } from "../../../src/render/text.ts";
import type { TitledRow } from "../../../src/scorecard/titled-rows.ts";
import { compare, createRow, readFacts, viewDiff } from "../../charts/scorecard-samples.ts";
import { responseBodies } from "../../client/response-fixtures.ts";
import fc from "../../property.ts";
import { inHall, testers } from "../../scorecard/facts.ts";
import { forbiddenIn, hostileText, terminal } from "../samples.ts";

const played = readFacts(testers(20, 4, inHall));
const compared = compare(played, played);
const NEXT = "Can it ship?  playtest gate 1.0 2.0";

const withRows = (rows: readonly TitledRow[], notes: readonly string[] = []): ScorecardView => ({
  ...compared,
  ...{ rows, notes },
});

const show = (
  view: ScorecardView,
  options: Partial<RenderOptions> = {},
  detail: { all?: true; stats?: true } = {},
) => scorecardView(view, { all: false, stats: false, ...detail }, NEXT, terminal(options));

const share = (count: number, total: number) => ({ count, total, value: count / total });
const rows = [
  createRow({
    ...{ subject: "confusion:feedback-more", title: "Confusion reported in answers to “Anything else?”" },
    ...{ a: share(1, 13), b: share(11, 18), difference: 0.53, adjustedPValue: 0.0042 },
  }),
  createRow({
    ...{ id: "quit:furnace", title: "Quit in furnace", isNewRoom: true, limit: 0.4, difference: null },
    ...{ a: share(0, 0), b: share(13, 18), range: { low: 0.43, high: 1 } },
  }),
  createRow({
    ...{ subject: "difficulty-spike:ash-bridge", title: "Difficulty spike in ash-bridge", status: "better" },
    ...{ a: share(10, 17), b: share(0, 21), difference: -0.59, restsOnPractice: true },
  }),
  createRow({
    ...{ subject: "bug-report:observatory", title: "Bugs: observatory", status: "unclear", pValue: 0.04 },
    ...{ a: share(0, 12), b: share(5, 19), difference: 0.26 },
  }),
  createRow({ subject: "stuck-point:dock", title: "Stuck point in dock", status: "unclear", pValue: 0.6 }),
  createRow({ subject: "stuck-point:gardens", title: "Stuck point in gardens", status: "ruled out" }),
  createRow({
    ...{ id: "quit:dock", title: "Quit in dock", status: "not comparable", reason: "sessions are timed" },
    ...{ difference: null, range: null, pValue: null, adjustedPValue: null },
  }),
];

describe("the answer", () => {
  test("has the rows that matter, at 80 and 100 columns", () => {
    const view = withRows(rows, ["1 session of 2.0 still receives events and is left out."]);
    expect(show(view)).toMatchInlineSnapshot(`
      "✗ 2.0 vs 1.0: worse in 2 ways, better in 1
        ember · production · 20 → 20 testers

        ✗       1/13 → 11/18  +53 pts                 confusion:feedback-more
        ✗  13/18 who entered  new room, limit 40%     quit:furnace
        ✓       10/17 → 0/21  -59 pts                 difficulty-spike:ash-bridge
        ?        0/12 → 5/19  +26 pts, may be chance  bug-report:observatory

        3 more rows without a clear change (--all)
        1 session of 2.0 still receives events and is left out.
        Can it ship?  playtest gate 1.0 2.0
      "
    `);
    expect(show(view, { width: 100 })).toMatchInlineSnapshot(`
      "✗ 2.0 vs 1.0: worse in 2 ways, better in 1
        ember · production · 20 → 20 testers

        ✗       1/13 → 11/18  +53 pts                 confusion:feedback-more
        ✗  13/18 who entered  new room, limit 40%     quit:furnace
        ✓       10/17 → 0/21  -59 pts                 difficulty-spike:ash-bridge
        ?        0/12 → 5/19  +26 pts, may be chance  bug-report:observatory

        3 more rows without a clear change (--all)
        1 session of 2.0 still receives events and is left out.
        Can it ship?  playtest gate 1.0 2.0
      "
    `);
  });

  test("marks without color which rows are worse and which are better", () => {
    const mark = (color: 0 | 3) =>
      rows
        .slice(0, 3)
        .map(({ id }) => new RegExp(`([▲▼✗✓]).* ${id}`).exec(show(withRows(rows), { color }))?.[1]);
    expect([mark(0), mark(3)]).toEqual([
      ["✗", "✗", "✓"],
      ["▲", "▲", "▼"],
    ]);
  });

  test("marks changes by their direction, whether they are worse or better", () => {
    const rating = (status: "worse" | "better", difference: number) =>
      createRow({
        ...{ id: `rating:form/${status}`, name: "rating", worse: "less", unit: "points", status, difference },
        a: { total: 20, count: null, value: 3 },
        b: { total: 20, count: null, value: 3 + difference },
      });
    const out = show(withRows([rating("worse", -1.2), rating("better", 1.2)]), { color: 3 });
    expect(out.replaceAll(/\u001b\[[\d;]*m/g, "").match(/^ +[▲▼] .*$/gm)).toEqual([
      expect.stringMatching(/▼ .*3\.0 → 1\.8 .*rating:form\/worse/),
      expect.stringMatching(/▲ .*3\.0 → 4\.2 .*rating:form\/better/),
    ]);
  });

  test("has words instead of marks in plain mode, and no color", () => {
    const out = show(withRows(rows), { plain: true, color: 3 });
    expect(out).not.toMatch(/[▲▼✗✓→]|\u001b/);
    expect(out.split("\n").slice(0, 2)).toEqual([
      "2.0 vs 1.0: worse in 2 ways, better in 1",
      "  ember · production · 20 to 20 testers",
    ]);
    expect(out).toMatch(/^ {2}worse +1\/13 to 11\/18 .*confusion:feedback-more$/m);
    expect(out).toMatch(/^ {2}better .*difficulty-spike:ash-bridge$/m);
    expect(out).toMatch(/^ {2}unclear .*may be chance +bug-report:observatory$/m);
  });

  test("is colored by what it says, with the mark that says it without color", () => {
    const [head = ""] = show(withRows(rows), { color: 1 }).split("\n");
    expect(head).toBe("\u001b[31m✗ 2.0 vs 1.0: worse in 2 ways, better in 1\u001b[39m");
    const better = withRows(rows.filter(({ status }) => status === "better"));
    expect(show(better, { color: 1 }).split("\n")[0]).toBe(
      "\u001b[32m✓ 2.0 vs 1.0: better in 1 way\u001b[39m",
    );
    expect(show(withRows([])).split("\n")[0]).toBe("= 2.0 vs 1.0: nothing that can be compared");
  });

  test("has at most 25 lines, however many rows there are, and counts those that it leaves out", () => {
    const many = Array.from({ length: 400 }, (_, at) =>
      createRow({
        ...{ subject: `stuck-point:room-${at}`, pValue: 0.6 },
        status: at < 30 ? "worse" : at < 60 ? "better" : "unclear",
      }),
    );
    const sessions = { open: 2, analyzed: 14, unanalyzed: 3, failed: 1 };
    const { notes } = compare(played, { ...played, sessions, anonymousSessions: 4 });
    expect(notes).toHaveLength(4);
    for (const width of [80, 100]) {
      const lines = show(withRows(many, notes), { width }).trimEnd().split("\n");
      expect(lines.length).toBeLessThanOrEqual(25);
      expect(lines.filter((line) => line.includes("stuck-point:"))).toHaveLength(10);
      // Rows that matter are among those that are left out.
      expect(lines.join("\n")).toContain("390 more rows (--all)");
    }
    expect(show(withRows(many.slice(25, 70)))).toContain("35 more rows (--all)");
    expect(show(withRows(many.slice(55, 64)))).toContain("4 more rows without a clear change (--all)");
    expect(show(withRows(many.slice(59, 61)))).toContain("1 more row without a clear change (--all)");
  });

  test("ends with the next command, if there is one", () => {
    expect(show(withRows(rows)).endsWith(`\n  ${NEXT}\n`)).toBe(true);
    const without = scorecardView(withRows(rows), { all: false, stats: false }, null, terminal());
    expect(`${without}  ${NEXT}\n`).toBe(show(withRows(rows)));
  });
});

describe("--all and --stats", () => {
  test("show every row", () => {
    const out = show(withRows(rows), {}, { all: true });
    for (const { id } of rows) expect(out.match(new RegExp(`(^| )${id}$`, "gm"))).toHaveLength(1);
    expect(out).not.toContain("more row");
    expect(out).toMatch(/^ {2}- .*sessions are timed +quit:dock$/m);
  });

  test("name the kinds of friction that the API counts, and how many changes each has", () => {
    const kinds = ["introduced", "got_larger", "got_larger", null] as const;
    const view = withRows(rows.slice(0, 4).map((row, at) => ({ ...row, kind: kinds[at] ?? null })));
    const out = show(view, { width: 120 }, { all: true });
    expect(out.match(/ {2}(introduced|got larger) {2}/g)?.length).toBe(3);
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      "friction: 0 resolved, 0 got smaller, 0 carried over, 2 got larger, 1 introduced",
    );
    expect(show(view, { width: 120 })).not.toContain("introduced");
  });

  test("show ranges, corrected p-values and methods", () => {
    const plain = show(withRows(rows), { width: 120 });
    for (const hidden of ["+10 to +80", "p 0.", "min-p"]) expect(plain).not.toContain(hidden);
    const out = show(withRows(rows), { width: 120 }, { all: true, stats: true });
    expect(out).toMatch(/\+53 pts +\+10 to \+80 +p 0\.0042 +confusion:feedback-more$/m);
    expect(out).toMatch(/new room, limit 40% +43% or more +p 0\.01 +quit:furnace$/m);
    expect(out).toMatch(/sessions are timed +- +- +quit:dock$/m);
    expect(out).toContain("single-step min-p");
    const tiny = [createRow({ adjustedPValue: 0.00001 })];
    expect(show(withRows(tiny), {}, { stats: true })).toContain("p < 0.0001");
  });
});

describe("every terminal", () => {
  test("shows all of a tag that is wider than itself, and no line beyond its width", () => {
    const tag = `difficulty-spike:${"a-long-room-".repeat(12)}end`;
    for (const width of [40, 80, 100]) {
      const out = show(
        withRows([createRow({ subject: tag }), ...rows]),
        { width },
        { all: true, stats: true },
      );
      expect(out.replace(/\s/g, "")).toContain(tag);
      for (const line of out.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    }
  });

  test("shows whole tags of rooms with usual names on one line, at 80 columns", () => {
    const newRoom = {
      isNewRoom: true,
      difference: null,
      status: "unclear",
      limit: 0.4,
      b: share(4, 5),
    } as const;
    const view = withRows([createRow({ ...newRoom, subject: "difficulty-spike:furnace" }), ...rows]);
    expect(show(view)).toMatch(
      /^ {2}\? +4\/5 who entered +new room, may be chance +difficulty-spike:furnace$/m,
    );
  });

  test("gets no control characters and no line that is too wide from hostile text", () => {
    fc.assert(
      fc.property(hostileText, fc.constantFrom(40, 80, 100), fc.boolean(), (text, width, tty) => {
        const view = {
          ...withRows(
            rows.map((row) => ({ ...row, id: text, title: text })),
            [text],
          ),
          ...{ game: text, environment: text, a: { ...compared.a, version: text } },
        };
        const out = scorecardView(view, { all: true, stats: true }, null, terminal({ width, tty }));
        expect(forbiddenIn(out, "\n")).toEqual([]);
        if (tty) for (const line of out.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }),
      { numRuns: 150 },
    );
  });
});

test("a pipe gets the same text, with the title of every row", () => {
  const out = show(withRows(rows), { tty: false, width: 20 });
  expect(out).toMatch(
    /^ {2}✗ {2}Confusion reported in answers to “Anything else\?” +1\/13 → 11\/18 .*feedback-more$/m,
  );
});

test("a service that has only the document gets its changes listed, and the reason why they are not tested", () => {
  const view = viewDiff(responseBodies.compareBuilds as BuildComparison, "unsupported");
  expect(show(view)).toMatchInlineSnapshot(`
    "= 0.9.0 vs 0.8.0: not tested
      ember · production · 4 → 4 testers

      ?  Difficulty spike in furnace  +25 pts  difficulty-spike:furnace

      This service does not report what each tester did, so nothing is tested.
      Can it ship?  playtest gate 1.0 2.0
    "
  `);
});
