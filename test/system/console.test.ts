/** The console in a browser: signing in, every page that links lead to, filters, the back button, and live pages. */
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ListeningServer, listen } from "../../src/server/http/listen.ts";
import { startDemo } from "../cli/demo.ts";
import { NOW, type TestService } from "../harness.ts";
import { Auditor, FLAGS, PROGRAM } from "./browser.ts";

/** Pages of each kind that are opened: one with little to show may look different from one with much. */
const PAGES_OF_A_KIND = 2;
const NARROW = 390;

let service: TestService;
let server: ListeningServer;
let browser: Browser;

beforeAll(async () => {
  service = await startDemo("studio", { console: { identity: null } });
  const report = {
    title: "The door does not open",
    description: "I have both keys.",
    idempotencyKey: "door",
  };
  expect((await service.post("/api/telemetry/bug-report", { gameId: "ember", ...report })).status).toBe(200);
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
  const seen = new Set<string>(["/?"]);
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
      const { pathname, search, searchParams, origin } = new URL(link, server.url);
      const next = pathname + search;
      // Every page has links that keep the build and the environment of the header.
      for (const kept of ["build", "env"]) searchParams.delete(kept);
      const shown = `${pathname}?${searchParams}`;
      if (origin !== server.url || seen.has(shown) || search.includes("format=json")) continue;
      seen.add(shown);
      queue.push(next);
    }
  }
  return kinds;
}

/** What is wrong with the open page: its width, its headings, its first link, and the findings of axe-core in both modes. */
async function findFaults(page: Page, auditor: Auditor): Promise<unknown[]> {
  const faults: unknown[] = [];
  const width = Number(await page.evaluate("document.documentElement.scrollWidth"));
  if (width > NARROW) faults.push(`${width} pixels wide`);
  const levels = await page
    .locator("h1,h2,h3,h4")
    .evaluateAll((all) => all.map((one) => Number(one.tagName[1])));
  if (levels[0] !== 1 || levels.filter((level) => level === 1).length !== 1) faults.push("not one h1 first");
  if (levels.some((level, at) => at > 0 && level > (levels[at - 1] ?? 0) + 1))
    faults.push("skips a heading level");
  return [...faults, ...(await auditor.audit(page))];
}

async function openPhone(): Promise<{ context: BrowserContext; page: Page; auditor: Auditor }> {
  const context = await browser.newContext({ viewport: { width: NARROW, height: 800 } });
  const page = await signIn(context);
  return { context, page, auditor: await Auditor.open(context, server.url) };
}

test("every page is complete, accessible in light and dark mode, and fits a phone", async () => {
  const { context, page, auditor } = await openPhone();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(`${page.url()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(server.url)) complaints.push(`request to ${request.url()}`);
  });
  const faults: unknown[] = [];
  const kinds = await crawl(page, async (path) => {
    const response = await page.goto(server.url + path);
    if (response?.status() !== 200) faults.push([path, response?.status()]);
    if ((await page.locator("a").first().textContent()) !== "Skip to content")
      faults.push([path, "skip link"]);
    const found = await findFaults(page, auditor);
    if (found.length > 0) faults.push([path, found]);
  });
  expect(faults).toEqual([]);
  expect(complaints).toEqual([]);
  expect([...kinds.keys()].sort()).toMatchSnapshot();
  await context.close();
});

test("faults of a page are found, in light and dark mode", async () => {
  const { context, page, auditor } = await openPhone();
  const added = '<img src="/x"><font color="#aaaaaa">pale</font><font color="#333333">dark</font>';
  await page.locator("main").evaluate((main, html) => main.insertAdjacentHTML("beforeend", html), added);
  const found = (await auditor.audit(page)).map(({ rule, elements }) => [rule, elements.length]);
  expect(found).toEqual([
    ["color-contrast", 1],
    ["image-alt", 1],
    ["color-contrast", 1],
  ]);
  await context.close();
});

/** Addresses with nothing to show: their status, a part of the text, and the link that leads on. */
const deadEnds = [
  ["/games/nope/builds", 404, "No game nope", "Games"],
  ["/games/ember/builds/9.9.9", 404, "9.9.9", "The list"],
  ["/games/ember/sessions/sess_nope", 404, "sess_nope", "The list"],
  ["/games/ember/sessions?status=lost", 400, "status", "The page without filters"],
  ["/games/ember/insights?from=2031-01-01", 200, "No insights match", "Reset"],
  ["/games/ember/heatmap?room=dock&event=nope", 404, "dock", "The page without filters"],
] as const;

test("pages with nothing to show say why, and lead on", async () => {
  const { context, page, auditor } = await openPhone();
  for (const [path, status, text, wayOut] of deadEnds) {
    const response = await page.goto(server.url + path);
    expect([path, response?.status()]).toEqual([path, status]);
    expect(await page.locator("main").textContent()).toContain(text);
    expect([path, await findFaults(page, auditor)]).toEqual([path, []]);
    await page.locator("main").getByRole("link", { name: wayOut, exact: true }).click();
    await page.locator("header.top").waitFor();
  }
  await context.close();
});

test("a refused key and an ended session are explained where people sign in", async () => {
  const { context, page, auditor } = await openPhone();
  await page.goto(`${server.url}/games/ember/builds`);
  await context.addCookies([{ ...(await context.cookies())[0], value: "0".repeat(64) } as never]);
  await page.reload();
  expect(await page.getByRole("alert").textContent()).toContain("no longer signed in");
  expect(await findFaults(page, auditor)).toEqual([]);
  await page.getByLabel("Management key").fill("pt_mgmt_wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  expect(await page.getByRole("alert").textContent()).toContain("not valid");
  expect(await findFaults(page, auditor)).toEqual([]);
  await page.getByLabel("Management key").fill(service.keys.management);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${server.url}/games/ember/builds`);
  await context.close();
});

test.each([true, false])(
  "people choose a build, a room and an event of a heatmap (scripts: %s)",
  async (hasScripts) => {
    const context = await browser.newContext({ javaScriptEnabled: hasScripts });
    const page = await signIn(context, "/games/ember/heatmap");
    const choose = async (label: string, value: string, name: string, button: string) => {
      await page.getByLabel(label, { exact: true }).selectOption(value);
      await page.getByRole("button", { name: button }).click();
      await page.waitForURL((url) => url.searchParams.get(name) === value);
    };
    await choose("Build", "0.9.0", "build", "Go");
    await choose("Room", "furnace", "room", "Show");
    expect(await page.locator("svg[aria-label^='furnace:']").count()).toBe(1);
    await page.getByLabel("Event").fill("player_death");
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(/event=player_death/);
    expect(await page.locator("footer code").textContent()).toBe(
      "playtest heatmap --game ember --build 0.9.0 --room furnace --event player_death --source all --bounds robust --plane auto",
    );
    await context.close();
  },
);

test("without scripts, people can sign in, filter, page and sign out", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await signIn(context, "/games/ember/sessions");
  await page.getByLabel("Status").selectOption("analyzed");
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByLabel("Build", { exact: true }).selectOption("0.9.0");
  await page.getByRole("button", { name: "Go" }).click();
  expect(new URL(page.url()).searchParams.get("status")).toBe("analyzed");
  expect(await page.locator("footer code").textContent()).toContain("--build 0.9.0 --status analyzed");
  await page.goBack();
  await page.goBack();
  expect(new URL(page.url()).search).toBe("");
  await page.getByRole("button", { name: "Sign out" }).click();
  expect(await page.getByLabel("Management key").count()).toBe(1);
  await page.goto(`${server.url}/games/ember/sessions`);
  expect(await page.getByLabel("Management key").count()).toBe(1);
  await context.close();
});

test("the build and the environment stay while people move between pages", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await signIn(context, "/games/ember");
  await page.getByLabel("Build", { exact: true }).selectOption("0.8.0");
  await page.getByRole("button", { name: "Go" }).click();
  for (const name of ["What to fix first", "Builds", "Where testers quit", "Sessions", "Events", "Heatmap"])
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name, exact: true })
      .first()
      .click();
  expect(await page.getByLabel("Build", { exact: true }).inputValue()).toBe("0.8.0");
  await page.getByRole("link", { name: "Ember Hollow" }).click();
  expect(page.url()).toBe(`${server.url}/games/ember?build=0.8.0`);
  await context.close();
});

test("the back button undoes a choice, also in the form", async () => {
  const context = await browser.newContext();
  const page = await signIn(context, "/games/ember/sessions");
  await page.getByLabel("Status").selectOption("analyzed");
  await page.getByRole("button", { name: "Show" }).click();
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

  test("still has filters after it was kept current", async () => {
    await receiveSession("Session before a choice");
    await page.getByText("Session before a choice").waitFor();
    await page.getByLabel("Status").selectOption("analyzed");
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(/status=analyzed/);
  });

  test("keeps what somebody has typed", async () => {
    await page.getByLabel("Title contains").fill("quit");
    await page.getByRole("heading", { level: 1 }).click();
    await page.clock.runFor(20_000);
    expect(await page.getByLabel("Title contains").inputValue()).toBe("quit");
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

/** Presses Tab until the element with this text, label or id has the focus, from where it is now. Returns what was passed. */
async function tabTo(page: Page, name: string): Promise<string[]> {
  const passed: string[] = [];
  const describeFocus = `(() => {
    const { activeElement: one } = document;
    return one.id.startsWith("filter-") ? one.id : (one.textContent || one.value || "").trim();
  })()`;
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press("Tab");
    const focused = String(await page.evaluate(describeFocus));
    passed.push(focused);
    if (focused === name) return passed;
  }
  throw new Error(`Tab never reached ${JSON.stringify(name)}: ${JSON.stringify(passed)}`);
}

test("keyboard users sign in, open a build, compare it, look at its heatmap, and sign out", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.url}/games/ember/builds`);
  // The field for the key gets the focus, soon after the page is loaded.
  await page.locator("#key:focus").waitFor();
  await page.keyboard.type(service.keys.management);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Builds of Ember Hollow" }).waitFor();
  expect((await tabTo(page, "0.9.0")).slice(0, 3)).toEqual(["Skip to content", "playtest", "Games"]);
  await page.keyboard.press("Enter");
  await page.waitForURL(/builds\/0\.9\.0/);
  await tabTo(page, "See the comparison");
  await page.keyboard.press("Enter");
  await page.waitForURL(/compare\?/);
  expect(await page.locator(".verdict").count()).toBe(1);
  await tabTo(page, "Where players went");
  await page.keyboard.press("Enter");
  await page.waitForURL(/heatmap\?/);
  expect(await tabTo(page, "filter-build")).not.toContain("Sign out");
  await page.keyboard.press("ArrowUp");
  await tabTo(page, "Go");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.searchParams.get("build") !== "0.9.0");
  await tabTo(page, "Sign out");
  await page.keyboard.press("Enter");
  await page.getByLabel("Management key").waitFor();
  await context.close();
});

test("the skip link leads keyboard users past the navigation", async () => {
  const context = await browser.newContext();
  const page = await signIn(context, "/games/ember/sessions");
  await tabTo(page, "Skip to content");
  await page.keyboard.press("Enter");
  expect((await tabTo(page, "filter-status"))[0]).toBe("filter-status");
  await context.close();
});
