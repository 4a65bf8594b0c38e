/** A report of any text is a page and Markdown in which that text is text. */

import { describe, expect, test } from "vitest";
import { buildDensityView } from "../../src/charts/heatmap.ts";
import type { ReportDocument } from "../../src/render/report/blocks.ts";
import { reportHtml } from "../../src/render/report/html.ts";
import { reportMarkdown } from "../../src/render/report/markdown.ts";
import fc from "../property.ts";
import { forbiddenIn, hostileText } from "./samples.ts";
import { xmlFaultsOf } from "./well-formed.ts";

/** A document of every kind of block, with a text in every place. */
function infested(text: string): ReportDocument {
  const cell = { text };
  const picture = buildDensityView({
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
    subtitle: text,
    verdict: { state: "failed", title: text, sentence: text, reasons: [text] },
    facts: [{ label: text, value: text, mood: "bad" }],
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
            colours: text,
            rooms: picture.rooms.map((room) => ({ room, picture, told: text })),
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
                    { text, under: text, mood: "bad", bar: -1 },
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
  /^<\/?(html|head|meta|title|style|body|header|main|footer|section|h[123]|p|ul|li|dl|dt|dd|div|span|table|caption|thead|tbody|tr|th|td|code|br|wbr|figure|figcaption|blockquote|svg|g|rect|line|path|text)\b/;

describe("a report's page", () => {
  test("holds the elements of this program alone, and nothing that fetches or runs", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const html = reportHtml(infested(text)).replace("<!DOCTYPE html>", "");
        expect(forbiddenIn(html, "\n")).toEqual([]);
        for (const [tag] of html.matchAll(/<[^>]*>?/g)) {
          expect(tag).toMatch(ELEMENTS);
          expect(tag).not.toMatch(/\s(on\w+|href|src|srcdoc|action|formaction)=/);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("is well-formed", async () => {
    const texts = fc.sample(hostileText, { numRuns: 15, seed: 3 });
    const all = [...texts, "</style><script>alert(1)</script>", '" onload="x', "]]>&amp;<!--"];
    expect(await xmlFaultsOf(all.map((text) => reportHtml(infested(text))))).toEqual([]);
  });

  test("keeps line feeds of what players wrote", () => {
    expect(reportHtml(infested("one\ntwo"))).toContain("<blockquote><p>one<br/>two</p></blockquote>");
  });
});

describe("a report's Markdown", () => {
  test("has as many lines and cells as with any other text, and no markup of the text's own", () => {
    const shape = (text: string) =>
      reportMarkdown(infested(text))
        .split("\n")
        .map((line) => line.replace(/\\./g, "").match(/^(#+ |> |- |\||---$|_)?/)?.[0] ?? "");
    const expected = shape("word");
    fc.assert(
      fc.property(hostileText, (text) => {
        // A group without a title has no row for it.
        fc.pre(text !== "");
        const out = reportMarkdown(infested(text));
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
  ])("lets no text open a block: %s", (text) => {
    const lines = reportMarkdown(infested(text)).split("\n");
    for (const line of lines) {
      // What stands in a heading or a cell opens nothing.
      const content = line.replace(/^(#+ |\| ).*/, "").replace(/^(> |- )/, "");
      expect(content).not.toMatch(/^(#+\s|[-+*]\s|\d+[.)]\s|={2,}|`{3}|>\s| {4})/);
    }
  });
});
