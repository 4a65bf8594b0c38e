/** Chromium's parser finds nothing active or foreign in pages that are full of hostile text. */
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allPages } from "../../src/console/all-pages.ts";
import { hostileTexts, showHostilePage } from "../console/hostile-texts.ts";
import { FLAGS, PROGRAM } from "./browser.ts";

let browser: Browser;
/** A page that only parses texts, so that no test changes it. */
let opened: Page;

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: PROGRAM, args: FLAGS });
  opened = await browser.newPage();
});

afterAll(async () => {
  await browser.close();
});

/** Runs in the browser: what is active or foreign in each document. */
const FIND = `(pages) => pages.map((html) => {
  const found = new DOMParser().parseFromString(html, "text/html");
  const problems = [];
  for (const element of found.querySelectorAll("*")) {
    const name = element.localName;
    if (/^(iframe|object|embed|base|img|image|use|style|foreignobject|animate|set|audio|video|template)$/i.test(name))
      problems.push(element.outerHTML.slice(0, 100));
    if (name === "script" && !((element.getAttribute("src") ?? "").startsWith("/files/script-") && element.text === ""))
      problems.push(element.outerHTML.slice(0, 100));
    for (const { name: attribute, value } of element.attributes) {
      if (/^on|^style$|^http-equiv$/i.test(attribute)) problems.push(attribute);
      if (/^(href|xlink:href|src|action|formaction|srcset|data|poster|ping)$/i.test(attribute) && value !== "") {
        const url = new URL(value, "http://own.test/here");
        if (url.origin !== "http://own.test") problems.push(attribute + " " + value.slice(0, 100));
      }
    }
  }
  if (found.scripts.length > 1 || found.querySelectorAll("main, h1").length !== 2) problems.push("other elements");
  return problems;
})`;

describe.each(allPages.map((page) => [page.path, page] as const))("%s", (_path, page) => {
  test("has no active content", async () => {
    const shown = [];
    for (const text of Object.values(hostileTexts)) shown.push(await showHostilePage(page, text));
    const found = await opened.evaluate(`(${FIND})(${JSON.stringify(shown.map(({ text }) => text))})`);
    expect(found).toEqual(shown.map(() => []));
  });
});

test("what it looks for is found", async () => {
  const attacks = [
    "<main><h1></h1></main><img src=x>",
    "<main><h1 onclick=x></h1></main>",
    '<main><h1></h1><a href="javascript:x">y</a></main>',
    '<main><h1></h1><a href="//evil.test">y</a></main>',
    "<main><h1></h1></main><script>x</script><script>y</script>",
  ];
  const found = (await opened.evaluate(`(${FIND})(${JSON.stringify(attacks)})`)) as string[][];
  for (const [at, problems] of found.entries())
    expect([attacks[at], problems.length > 0]).toEqual([attacks[at], true]);
});
