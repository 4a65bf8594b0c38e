/** Reports as HTML and Markdown never interpret text as markup. */

import { describe, expect, test } from "vitest";
import { buildDensityView } from "../../src/charts/heatmap.ts";
import type { ReportDocument } from "../../src/render/report/blocks.ts";
import { reportHtml } from "../../src/render/report/html.ts";
import { reportMarkdown } from "../../src/render/report/markdown.ts";
import fc from "../property.ts";
import { forbiddenIn, hostileText } from "./samples.ts";
import { xmlFaultsOf } from "./well-formed.ts";

/** A document with every kind of block and the text everywhere. */
function documentOf(text: string): ReportDocument {
  const cell = { text };
  const view = buildDensityView({
    game: { id: "g", userId: "u", name: text, slug: "g", createdAt: 0 },
    rooms: [
      {
        room: text,
        cellsX: 2,
        cellsY: 1,
        cells: [{ x: 0, y: 0, intensity: 1 }],
        totalEvents: 3,
        bounds: { xMin: 0, xMax: 1, yMin: 0, yMax: 1 },
      },
    ],
    eventCount: 3,
  });
  return {
    title: text,
    verdict: { state: "failed", answer: text, gate: text, scope: text, reasons: [text] },
    cards: [
      {
        ...{ id: "c", title: text, mood: "bad" },
        blocks: [
          {
            kind: "list",
            items: [[{ text, strong: true, line: true, href: "http://127.0.0.1/games/ember" }, cell]],
          },
          { kind: "facts", facts: [{ label: text, value: text }] },
        ],
      },
    ],
    sections: [
      {
        id: "s",
        title: text,
        blocks: [
          { kind: "text", text },
          { kind: "note", text },
          { kind: "missing", text },
          { kind: "heading", text },
          { kind: "list", items: [[cell, { text, code: true }]] },
          { kind: "quotes", quotes: [{ text, source: text }] },
          {
            kind: "rooms",
            colors: text,
            note: text,
            rooms: view.rooms.map((room) => ({ room, view, description: text })),
          },
          {
            kind: "table",
            caption: text,
            columns: [{ title: text }, { title: text, right: true, wide: true }],
            groups: [
              {
                title: text,
                mood: "good",
                rows: [
                  [
                    { text, code: true },
                    { text, under: text, mood: "bad" },
                  ],
                ],
              },
            ],
          },
        ],
      },
    ],
    footer: text,
  };
}

const ELEMENTS =
  /^<\/?(html|head|details|summary|strong|a|meta|title|style|body|header|main|footer|section|h[123]|p|ul|li|dl|dt|dd|div|span|table|caption|thead|tbody|tr|th|td|code|br|wbr|figure|figcaption|blockquote|svg|g|rect|line|path|text)\b/;

describe("an HTML report", () => {
  test("contains only known elements and nothing that loads or runs", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const html = reportHtml(documentOf(text)).replace("<!DOCTYPE html>", "");
        expect(forbiddenIn(html, "\n")).toEqual([]);
        for (const [tag] of html.matchAll(/<[^>]*>?/g)) {
          expect(tag).toMatch(ELEMENTS);
          expect(tag.replace(' href="http://127.0.0.1/games/ember"', "")).not.toMatch(
            /\s(on\w+|href|src|srcdoc|action|formaction)=/,
          );
        }
      }),
      { numRuns: 100 },
    );
  });

  test("is well-formed", async () => {
    const texts = fc.sample(hostileText, { numRuns: 15, seed: 3 });
    const all = [...texts, "</style><script>alert(1)</script>", '" onload="x', "]]>&amp;<!--"];
    expect(await xmlFaultsOf(all.map((text) => reportHtml(documentOf(text))))).toEqual([]);
  });

  test("keeps line feeds of quotes", () => {
    expect(reportHtml(documentOf("one\ntwo"))).toContain("<blockquote><p>one<br/>two</p></blockquote>");
  });
});

describe("a Markdown report", () => {
  test("has the same structure for any text", () => {
    const shape = (text: string) =>
      reportMarkdown(documentOf(text))
        .split("\n")
        .map((line) => line.replace(/\\./g, "").match(/^(#+ |> |- |\||---$|_)?/)?.[0] ?? "");
    const expected = shape("word");
    fc.assert(
      fc.property(hostileText, (text) => {
        // A group with an empty title has no title row.
        fc.pre(text !== "");
        const out = reportMarkdown(documentOf(text));
        expect(forbiddenIn(out, "\n")).toEqual([]);
        expect(shape(text)).toEqual(expected);
        expect(out).not.toMatch(/<(?!br>|!-- -->)/);
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    "# heading",
    "- item",
    "+ item",
    "1. one",
    "2) two",
    "---",
    "===",
    "> quote",
    "    code",
    "```",
  ])("does not let text start a block: %s", (text) => {
    const lines = reportMarkdown(documentOf(text)).split("\n");
    for (const line of lines) {
      // Text in a heading or a cell cannot start a block.
      const content = line.replace(/^(#+ |\| ).*/, "").replace(/^(> |- )/, "");
      expect(content).not.toMatch(/^(#+\s|[-+*]\s|\d+[.)]\s|={2,}|`{3}|>\s| {4})/);
    }
  });
});
