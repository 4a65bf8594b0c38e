/** Escaped text appears in Markdown exactly as it was written, without any markup, link, reference or emoji. */
import { describe, expect, it } from "vitest";
import { escapeMarkdown, escapeMarkdownBlock } from "../../src/render/markdown.ts";
import { cleanBlock } from "../../src/render/text.ts";
import fc from "../property.ts";
import { activeContentIn, nodesIn, parseMarkdown, shownText } from "./github-markdown.ts";
import { hostileText } from "./samples.ts";

const CONSTRUCTS = [
  ..."www.evil.test _www.evil.test http://evil.test _https://evil.test *ftp://evil.test (xmpp:a@b.test".split(
    " ",
  ),
  ..."mailto:a@b.test _a.b@evil.test @owner @org/team a@b #1 owner/game#2 GH-3 gh-4 _GH-5_ CVE-2024-1".split(
    " ",
  ),
  ..."GHSA-abcd-efgh-ijkl a5c3785 a5c3785ed8d6a35868bc169f07e40e889087fd2e user@a5c3785 owner/game@a5c3785".split(
    " ",
  ),
  ..."1234567 abc1234...def5678 :x: :+1: :100: :_x_: ::a:: [^1] [^1]: [!NOTE] [ ] [x] [x](y) ![x](y) [x]: <a>".split(
    " ",
  ),
  ..."<!-- --> <details> <img/src=x> &lt; &#35; $x$ $$x$$ $`x`$ `x` ``` ```math ~~~ ~x~ ~~x~~ *x* **x** _x_ __x__".split(
    " ",
  ),
  ..."a_b a__b a*b # ## #x 1. 1) 2. - + * > --- === ___ | || \\ \\| \\\\ / /close !1 ! {{x}} {%x%} <b> --".split(
    " ",
  ),
];
const text = fc.oneof(
  fc
    .array(fc.constantFrom(...CONSTRUCTS, " ", "\n", "x", ".", "("), { maxLength: 7 })
    .map((all) => all.join("")),
  fc.array(fc.constantFrom(...CONSTRUCTS), { maxLength: 5 }).map((all) => all.join(" ")),
  hostileText,
);
const visible = (shown: string) => shown.replace(/\s+/g, "");

/** The places where a document has text, and what is in the text's node. */
const places: Readonly<Record<string, (text: string) => string>> = {
  "a table cell": (one) => `| A |\n| --- |\n| ${escapeMarkdown(one)} |\n`,
  "a list item": (one) => `- ${escapeMarkdownBlock(one)}\n`,
  "a paragraph": (one) => `${escapeMarkdownBlock(one)}\n`,
  "a quote": (one) => `> ${escapeMarkdownBlock(one)}\n`,
};
const shells: Readonly<Record<string, readonly string[]>> = {
  "a table cell": ["root", "table", "tableRow", "tableCell", "tableRow", "tableCell"],
  "a list item": ["root", "list", "listItem", "paragraph"],
  "a paragraph": ["root", "paragraph"],
  "a quote": ["root", "blockquote", "paragraph"],
};

describe.each(Object.entries(places))("a text in %s", (place, write) => {
  const check = (one: string) => {
    const expected = visible(cleanBlock(one));
    if (expected === "") return;
    const markdown = write(one);
    const tree = parseMarkdown(markdown);
    const types = nodesIn(tree).flatMap(({ type }) => (type === "text" || type === "html" ? [] : [type]));
    expect([one, types]).toEqual([one, shells[place]]);
    expect(visible(shownText(tree)).replace(/^A(?=.)/, place === "a table cell" ? "" : "A")).toBe(expected);
    expect([one, activeContentIn(markdown)]).toEqual([one, []]);
  };

  it.each(CONSTRUCTS)("appears as it was written: %s", (one) => {
    check(one);
    check(`x ${one} y`);
    check(`_${one}_`);
    check(`(${one})`);
  });

  it("appears as it was written, whatever it is", () => {
    fc.assert(fc.property(text, check));
  });
});

it.each([
  "ash-bridge",
  "0.9.0",
  "player_pos",
  "Great level! I died twice, then left.",
  "2026-03-10T12:00:00Z",
  "friction:ash-bridge",
  "ins_0123456789abcdef01234567",
  "12:30:45 (v1.2-rc.3)",
  "high-5",
  "50% of 12 testers",
])("an ordinary text is not escaped: %s", (one) => {
  expect(escapeMarkdown(one)).toBe(one);
  if (!/^\d/.test(one)) expect(escapeMarkdownBlock(one)).toBe(one);
});
