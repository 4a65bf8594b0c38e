/** The console in a browser: signing in, every page that links lead to, filters, the back button, and live pages. */
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ListeningServer, listen } from "../../src/server/http/listen.ts";
import { startDemo } from "../cli/demo.ts";
import { NOW, type TestService } from "../harness.ts";
import { FLAGS, findViolations, PROGRAM } from "./browser.ts";

/** Pages of each kind that are opened: one with little to show may look different from one with much. */
const PAGES_OF_A_KIND = 3;
const NARROW = 390;

let service: TestService;
let server: ListeningServer;
let browser: Browser;

beforeAll(async () => {
  service = await startDemo("studio", { console: { identity: null } });
  server = await listen(service.app, { host: "127.0.0.1", port: 0 });
  browser = await chromium.launch({ executablePath: PROGRAM, args: FLAGS });
});

afterAll(async () => {
  await browser.close();
  await server.close();
  await service.stop();
  expect(service.faults).toEqual([]);
});

async function signIn(context: BrowserContext, path = "/"): Promise<Page> {
  const page = await context.newPage();
  await page.goto(server.url + path);
  await page.getByLabel("Management key").fill(service.keys.management);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(server.url + path);
  return page;
}

/** The kind of a page: its path with `*` for each value. */
function toKind(path: string): string {
  const [, , , page = "", ...rest] = path.split("/");
  return `${path.startsWith("/games/") ? "/games/*/" : path}${page}${"/*".repeat(rest.length)}`;
}

/** Follows links from the first page. Returns the pages that were opened, with their kind. */
async function crawl(page: Page, visit: (path: string) => Promise<void>): Promise<Map<string, number>> {
  const kinds = new Map<string, number>();
  const seen = new Set<string>(["/"]);
  const queue = ["/"];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const kind = toKind(new URL(path, server.url).pathname);
    const count = kinds.get(kind) ?? 0;
    if (count >= PAGES_OF_A_KIND) continue;
    kinds.set(kind, count + 1);
    await visit(path);
    const links = await page
      .locator("a[href]")
      .evaluateAll((all) => all.map((a) => a.getAttribute("href") ?? ""));
    for (const link of links) {
      const { pathname, search, origin } = new URL(link, server.url);
      const next = pathname + search;
      if (origin !== server.url || seen.has(next) || search.includes("format=json")) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return kinds;
}

describe.each(["light", "dark"] as const)("in %s mode", (colorScheme) => {
  test("every page is complete, accessible, and fits a phone", { timeout: 300_000 }, async () => {
    const context = await browser.newContext({ colorScheme, viewport: { width: NARROW, height: 800 } });
    const page = await signIn(context);
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(`${page.url()}: ${message.text()}`));
    page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error}`));
    page.on("request", (request) => {
      if (!request.url().startsWith(server.url)) complaints.push(`request to ${request.url()}`);
    });
    const kinds = await crawl(page, async (path) => {
      const response = await page.goto(server.url + path);
      expect([path, response?.status()]).toEqual([path, 200]);
      expect([path, await page.locator("h1").count()]).toEqual([path, 1]);
      const width = Number(await page.evaluate("document.documentElement.scrollWidth"));
      expect([path, width <= NARROW]).toEqual([path, true]);
      expect([path, await findViolations(page)]).toEqual([path, []]);
    });
    expect(complaints).toEqual([]);
    expect([...kinds.keys()].sort()).toMatchSnapshot();
    await context.close();
  });
});

test("without scripts, people can sign in, filter, page and sign out", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await signIn(context, "/games/ember/sessions");
  await page.getByLabel("Status").selectOption("analyzed");
  await page.getByLabel("Build").fill("0.9.0");
  await page.getByRole("button", { name: "Show" }).click();
  expect(new URL(page.url()).searchParams.get("status")).toBe("analyzed");
  expect(await page.locator("footer code").textContent()).toContain("--build 0.9.0 --status analyzed");
  await page.goBack();
  expect(new URL(page.url()).search).toBe("");
  await page.getByRole("button", { name: "Sign out" }).click();
  expect(await page.getByLabel("Management key").count()).toBe(1);
  await page.goto(`${server.url}/games/ember/sessions`);
  expect(await page.getByLabel("Management key").count()).toBe(1);
  await context.close();
});

test("a choice applies at once, and the back button undoes it", async () => {
  const context = await browser.newContext();
  const page = await signIn(context, "/games/ember/sessions");
  await page.getByLabel("Status").selectOption("analyzed");
  await page.waitForURL(/status=analyzed/);
  await page.goBack();
  await page.waitForURL(`${server.url}/games/ember/sessions`);
  expect(await page.getByLabel("Status").inputValue()).toBe("");
  await context.close();
});

describe("an open list", () => {
  let page: Page;

  beforeEach(async () => {
    const context = await browser.newContext();
    await context.clock.install();
    page = await signIn(context, "/games/ember/sessions");
  });

  afterEach(async () => {
    await page.context().close();
  });

  /** Sends a session with a new title, and lets the page ask for it. */
  async function receiveSession(title: string): Promise<void> {
    const events = [{ id: title, name: "jump", timestamp: NOW + 1000 }];
    const body = { gameId: "ember", clientSessionId: title, title, events };
    expect((await service.post("/api/telemetry", body)).status).toBe(202);
    const answered = page.waitForResponse(page.url());
    await page.clock.runFor(5000);
    await (await answered).finished();
  }

  test("shows a session that arrives, also after a click on the page", async () => {
    await page.getByRole("heading", { level: 1 }).click();
    await receiveSession("Session after a click");
    await page.getByText("Session after a click").waitFor();
  });

  test("still applies a choice at once after it was kept current", async () => {
    await receiveSession("Session before a choice");
    await page.getByText("Session before a choice").waitFor();
    await page.getByLabel("Status").selectOption("analyzed");
    await page.waitForURL(/status=analyzed/);
  });

  test("keeps what somebody has typed", async () => {
    await page.getByLabel("Build").fill("0.9");
    await page.getByRole("heading", { level: 1 }).click();
    await page.clock.runFor(20_000);
    expect(await page.getByLabel("Build").inputValue()).toBe("0.9");
  });

  test("asks for a key when its session has ended", async () => {
    await service.service.store.writeDb.deleteFrom("console_sessions").execute();
    await page.clock.runFor(5000);
    await page.getByLabel("Management key").waitFor();
  });

  test("waits as long as the server says when it is overloaded", async () => {
    const requests: string[] = [];
    await page.route("**/games/ember/sessions", async (route) => {
      requests.push(route.request().url());
      await route.fulfill({ status: 503, headers: { "retry-after": "30" }, body: "" });
    });
    await page.clock.runFor(5000);
    await expect.poll(() => requests).toHaveLength(1);
    await page.clock.runFor(25_000);
    expect(requests).toHaveLength(1);
  });
});

test("a key that the browser fills in while the page loads stays there", async () => {
  const page = await browser.newPage();
  await page.goto(server.url);
  await page.getByLabel("Management key").fill("filled in");
  await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow'))");
  expect(await page.getByLabel("Management key").inputValue()).toBe("filled in");
  await page.close();
});

test("after signing out, the back button shows no page from the browser's memory", async () => {
  const program = { executablePath: PROGRAM, args: FLAGS };
  const caching = await chromium.launch({ ...program, ignoreDefaultArgs: ["--disable-back-forward-cache"] });
  const page = await signIn(await caching.newContext(), "/games/ember/sessions");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${server.url}/`);
  await page.evaluate("history.back()");
  await page.waitForURL(/sessions/, { waitUntil: "commit" });
  await page.getByLabel("Management key").waitFor();
  await caching.close();
});

test("keyboard users reach the content and every control, in the order of the page", async () => {
  const context = await browser.newContext();
  const page = await signIn(context, "/games/ember/sessions");
  const visited: string[] = [];
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press("Tab");
    const focused = "document.activeElement.textContent.trim() || document.activeElement.id";
    visited.push(String(await page.evaluate(focused)));
  }
  expect(visited[0]).toBe("Skip to content");
  for (const one of ["Sign out", "Builds", "filter-build", "Show"]) expect(visited).toContain(one);
  expect(visited.indexOf("Builds")).toBeLessThan(visited.indexOf("filter-build"));
  await context.close();
});
