/** Text in SVG and HTML: every code point results in well-formed XML that contains no other markup. */
import { expect, test } from "vitest";
import { el, escapeText } from "../../src/render/svg/element.ts";
import { xmlFaultsOf } from "./well-formed.ts";

const BLOCK = 256;

test("every code point is well-formed in text and attributes", async () => {
  const blocks: string[] = [];
  for (let first = 0; first <= 0x10ffff; first += BLOCK) {
    const points = Array.from({ length: BLOCK }, (_, n) => first + n);
    // Beyond the assigned planes, one block per plane has the characters that XML forbids.
    if (first < 0x20000 || first % 0x10000 === 0xff00) blocks.push(String.fromCodePoint(...points));
  }
  const texts = blocks.map((text) => el("text", { title: text }, text).markup);
  const document = `<svg xmlns="http://www.w3.org/2000/svg">${texts.join("\n")}</svg>`;
  expect(await xmlFaultsOf([document])).toEqual([]);
});

test.each([
  "]]>",
  "</script><script>",
  "&#0;",
  "<!--",
  "<![CDATA[",
  "<?xml",
  "\ud800",
  "\udc00\ud800",
  "a\0b",
])("%j has no markup", async (text) => {
  expect(escapeText(text)).not.toMatch(/[<>\0]|&(?!(?:amp|lt|gt|quot|#39|#91);)/);
  expect(escapeText(text).isWellFormed()).toBe(true);
});
