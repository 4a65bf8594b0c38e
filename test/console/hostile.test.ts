/** Text of strangers is only text: in every field of every response, in stored data, and in every parameter. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allPages } from "../../src/console/all-pages.ts";
import type { TestService } from "../harness.ts";
import { makeWorld } from "../server/sample-requests.ts";
import { type Names, pathOf } from "./addresses.ts";
import { findActiveContent } from "./check-markup.ts";
import { crawl } from "./crawl.ts";
import { signIn, startConsole, visit } from "./harness.ts";
import { storeHostileGame } from "./hostile-store.ts";
import { hostileTexts, showHostilePage } from "./hostile-texts.ts";
import { toNames } from "./world-names.ts";

test.each([
  "<p onclick=x>",
  '<p onclick="x">a</p>',
  '<p style="x">a</p>',
  '<a href="javascript:x">a</a>',
  '<a href="//evil.test">a</a>',
  '<a href="/\\evil.test">a</a>',
  "<img/>",
  "<script>x</script>",
  "a < b",
  "\u202e",
  '<input value="\x1b"/>',
])("%j is found", (html) => {
  expect(findActiveContent(html)).not.toEqual([]);
});

/** Texts that do something else at the start of a value, or as the whole value. */
const {
  "a script address": script,
  "another site": site,
  "a key of objects": key,
  "a path": up,
  ...others
} = hostileTexts;
const { spaces, "long text": long, ...anywhere } = others;

/** The other texts do the same anywhere in a value, so that one value tests them all. */
const parameterTexts = [script, site, key, up, spaces, long, Object.values(anywhere).join(" ")];

const each = allPages.map((page) => [page.path, page] as const);

describe.each(each)("%s", (_path, page) => {
  test.each(Object.entries(hostileTexts))("with %s in every field", async (_what, text) => {
    const { status, text: html } = await showHostilePage(page, text);
    expect([status, findActiveContent(html)]).toEqual([200, []]);
  });
});

describe("in a service", () => {
  let service: TestService;
  let cookie: string;
  let names: Names;

  beforeAll(async () => {
    service = await startConsole();
    cookie = await signIn(service);
    names = toNames(await makeWorld(service, service, "own"));
  });

  afterAll(async () => {
    await service.stop();
    expect(service.faults).toEqual([]);
  });

  test.each(Object.entries(hostileTexts))("%s in stored data", async (what, text) => {
    const slug = what.replaceAll(" ", "-");
    await storeHostileGame(service, slug, text);
    const kinds = new Set<string>();
    for await (const { path, kind, page } of crawl(service, cookie, 2, `/games/${slug}/builds`)) {
      expect([path, page.status, findActiveContent(page.text)]).toEqual([path, 200, []]);
      kinds.add(kind);
    }
    expect(kinds.size).toBeGreaterThan(12);
  });

  describe.each(each)("%s", (_path, page) => {
    test("repeats parameters only as text", async () => {
      const path = pathOf(page, names);
      const segments = path.split("/");
      for (const text of parameterTexts) {
        const value = encodeURIComponent(text?.toWellFormed() ?? "");
        const addresses = [
          ...Object.keys(page.query.shape).map((name) => `${path}?${name}=${value}`),
          ...segments.flatMap((_, at) => (at < 2 ? [] : [segments.with(at, value).join("/")])),
          `${path}?${value}=${value}`,
          `${path}?format=${value}`,
        ];
        for (const address of addresses) {
          const { status, text: html } = await visit(service, address, { cookie });
          const found = [address, status < 500, findActiveContent(html)];
          expect(found).toEqual([address, true, []]);
        }
      }
    });
  });
});
