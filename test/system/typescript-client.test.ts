/** The TypeScript client in a browser: cross-origin requests, localStorage, closed pages, focus. test/clients runs it in Node. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";
import { type Browser, chromium, type Frame, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Gateway, readSessions, type SentEvent, startGateway } from "../clients/gateway.ts";
import { FLAGS, PROGRAM } from "./browser.ts";

const client = join(import.meta.dirname, "..", "..", "clients", "typescript", "playtest.ts");

let browser: Browser;
let site: Server;
let siteUrl: string;
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [client],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "sdk",
  });
  const html = `<!doctype html><title>Game</title><script>${outputFiles[0]?.text}</script>`;
  site = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(html);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  browser = await chromium.launch({ executablePath: PROGRAM, args: FLAGS });
});
afterAll(async () => {
  await browser.close();
  site.closeAllConnections();
  site.close();
});

let gateway: Gateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(async () => {
  await gateway.stop();
  expect(gateway.service.faults).toEqual([]);
});

/** Runs code in the page, where `playtest` is a client of the gateway. */
async function run(page: Page | Frame, code: string): Promise<unknown> {
  const options = {
    baseUrl: gateway.url,
    key: gateway.service.keys.ingest,
    gameId: "maze",
    gameVersion: "0.9.0",
    environment: "playtest",
  };
  const create = `window.playtest ??= new sdk.Playtest(${JSON.stringify(options)});`;
  return await page.evaluate(`(async () => { ${create} ${code} })()`);
}

async function openPage(context: Awaited<ReturnType<Browser["newContext"]>>) {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(siteUrl);
  return { page, errors };
}

test("sends a session from another origin, and what an earlier page left in localStorage", async () => {
  const context = await browser.newContext();
  gateway.behave("down");
  const first = await openPage(context);
  await run(
    first.page,
    "playtest.start(); for (let i = 0; i < 2500; i += 1) playtest.track('step', { i }); await new Promise((done) => setTimeout(done, 1000));",
  );
  await first.page.close();
  gateway.behave("forward");
  const second = await openPage(context);
  await run(
    second.page,
    "playtest.start(); playtest.position(1, 2, 'dock'); window.dispatchEvent(new Event('blur')); await playtest.end();",
  );
  const queued = () => run(second.page, "return playtest.status().queuedBytes");
  await expect.poll(queued).toBe(0);
  const sessions = await readSessions(gateway);
  const counts = sessions.map(({ event_counts }) => event_counts);
  expect(counts).toHaveLength(2);
  expect(counts).toContainEqual(expect.objectContaining({ session_start: 1, step: 2500 }));
  expect(counts).toContainEqual(
    expect.objectContaining({ session_start: 1, player_pos: 1, session_summary: 1 }),
  );
  expect(sessions.map(({ source }) => source)).toEqual(["typescript-telemetry", "typescript-telemetry"]);
  const left = await second.page.evaluate("Object.keys(localStorage).sort()");
  expect(left).toEqual(["playtest:maze:config", "playtest:maze:device"]);
  expect([...first.errors, ...second.errors]).toEqual([]);
  await context.close();
});

test("deletes the queue and sends nothing if the player opts out", async () => {
  const context = await browser.newContext();
  const { page, errors } = await openPage(context);
  gateway.behave("down");
  await run(
    page,
    "playtest.start(); playtest.track('step'); await playtest.flush(); playtest.setConsent(false); playtest.track('step'); await playtest.end();",
  );
  gateway.behave("forward");
  await page.reload();
  await run(page, "playtest.start(); playtest.track('step'); await playtest.end();");
  expect(gateway.requests).toEqual([]);
  expect(await page.evaluate("Object.keys(localStorage)")).toEqual(["playtest:maze:consent"]);
  expect(errors).toEqual([]);
  await context.close();
});

test("reports a wrong address in plain words, and works in pages without storage", async () => {
  const { page, errors } = await openPage(await browser.newContext());
  await page.evaluate(
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } })",
  );
  const result = await run(page, "return await playtest.sendTestEvent();");
  expect(result).toMatchObject({
    ok: true,
    message: expect.stringContaining("The address and the key work"),
  });
  const wrong = await page.evaluate(
    "new sdk.Playtest({ baseUrl: 'http://127.0.0.1:9', key: 'pt_ik_x' }).sendTestEvent()",
  );
  expect(wrong).toMatchObject({
    ok: false,
    message: expect.stringContaining("No connection to http://127.0.0.1:9"),
  });
  expect(errors).toEqual([]);
  await page.context().close();
});

/** The ids of the events that arrived in the session of the page, in order. */
function readArrived(): number[] {
  const events = gateway.requests.flatMap(({ body }) => (body.events ?? []) as SentEvent[]);
  return [...new Set(events.map(({ id }) => Number(id)))].sort((a, b) => a - b);
}

/** Waits until the service has these events of a session, each exactly once. */
async function expectStored(counts: Record<string, number>): Promise<void> {
  const readCounts = async () => (await readSessions(gateway)).map(({ event_counts }) => event_counts);
  await expect.poll(readCounts).toContainEqual(expect.objectContaining(counts));
}

const closePage = async (page: Page) => {
  const closed = page.waitForEvent("close");
  await page.close({ runBeforeUnload: true });
  await closed;
};
const leavePage = async (page: Page) => void (await page.goto("about:blank"));

test.each([
  ["is closed", closePage],
  ["navigates away", leavePage],
])("sends what was recorded when the page %s", async (_name, leave) => {
  const context = await browser.newContext();
  const { page, errors } = await openPage(context);
  await run(page, "playtest.start(); for (let i = 0; i < 20; i += 1) playtest.track('early', { i });");
  await expect.poll(() => readArrived().length).toBeGreaterThanOrEqual(21);
  await run(page, "for (let i = 0; i < 20; i += 1) playtest.track('late', { i });");
  await leave(page);
  await expectStored({ session_start: 1, early: 20, late: 20 });
  const next = await openPage(context);
  await run(next.page, "await playtest.flush();");
  const [session, ...others] = await readSessions(gateway);
  expect(others).toEqual([]);
  expect(session.event_counts).toMatchObject({ session_start: 1, early: 20, late: 20 });
  expect(await run(next.page, "return playtest.status().queuedBytes")).toBe(0);
  expect(errors).toEqual([]);
  await context.close();
});

test("sends the newest 60 kB of a closed page at once, and the rest after the next start", async () => {
  const context = await browser.newContext();
  const { page } = await openPage(context);
  await run(page, "playtest.start();");
  await expect.poll(readArrived).toEqual([1]);
  await run(
    page,
    "for (let i = 0; i < 100; i += 1) playtest.track('step', { i, text: 'x'.repeat(1000) }); window.dispatchEvent(new Event('pagehide'));",
  );
  await closePage(page);
  await expect.poll(readArrived).toContain(101);
  const next = await openPage(context);
  await run(next.page, "playtest.start(); await playtest.end();");
  await expectStored({ session_start: 1, step: 100 });
  expect((await readSessions(gateway)).length).toBe(2);
  await context.close();
});

test("sends what was recorded in a page that crashed", async () => {
  const context = await browser.newContext();
  const { page } = await openPage(context);
  await run(page, "playtest.start(); for (let i = 0; i < 20; i += 1) playtest.track('early', { i });");
  await expect.poll(() => readArrived().length).toBeGreaterThanOrEqual(21);
  await run(page, "for (let i = 0; i < 20; i += 1) playtest.track('late', { i });");
  // The client stores what was recorded every 250 ms.
  const stored = "Object.values(localStorage).some((text) => text.includes('late'))";
  await expect.poll(() => page.evaluate(stored)).toBe(true);
  const crashed = page.waitForEvent("crash");
  const devtools = await context.newCDPSession(page);
  void devtools.send("Page.crash").catch(() => {});
  await crashed;
  const next = await openPage(context);
  await run(next.page, "await playtest.flush();");
  await expectStored({ session_start: 1, early: 20, late: 20 });
  expect(await readSessions(gateway)).toHaveLength(1);
  await context.close();
});

test("sends what was recorded in a frame without storage when the page is closed", async () => {
  const context = await browser.newContext();
  const { page } = await openPage(context);
  const frame = await openSandbox(page);
  await run(
    frame,
    "playtest.start(); for (let i = 0; i < 50; i += 1) playtest.track('late', { i, text: 'x'.repeat(1000) });",
  );
  await closePage(page);
  await expectStored({ session_start: 1, late: 50 });
  expect(await readSessions(gateway)).toHaveLength(1);
  await context.close();
});

/** Loads the page in a frame that may not store anything. */
async function openSandbox(page: Page): Promise<Frame> {
  await page.evaluate(
    `new Promise((done) => { const frame = document.createElement("iframe"); frame.sandbox = "allow-scripts"; frame.src = "/"; frame.onload = done; document.body.append(frame); })`,
  );
  const frame = page.frames().find((other) => other !== page.mainFrame());
  if (!frame) throw new Error("The page has no frame.");
  const canStore = "(() => { try { return !!localStorage; } catch { return false; } })()";
  expect(await frame.evaluate(canStore)).toBe(false);
  return frame;
}

test("sends a hidden page at once, and each event once when it is visible again", async () => {
  const { page, errors } = await openPage(await browser.newContext());
  const setVisibility = (state: string) =>
    `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); document.dispatchEvent(new Event('visibilitychange'));`;
  await run(page, `playtest.start(); playtest.track('step'); ${setVisibility("hidden")}`);
  await expectStored({ session_start: 1, step: 1, focus_lost: 1 });
  await run(page, `${setVisibility("visible")} playtest.track('step'); await playtest.end();`);
  await expectStored({ session_start: 1, step: 2, focus_lost: 1, focus_gained: 1, session_summary: 1 });
  expect(errors).toEqual([]);
  await page.context().close();
});

test("reads the clock of the service in answers to another origin, and compresses requests", async () => {
  const { page, errors } = await openPage(await browser.newContext());
  await page.evaluate("{ const now = Date.now; Date.now = () => now() + 7_200_000; }");
  await run(
    page,
    "playtest.start(); await playtest.flush(); playtest.track('step', { text: 'x'.repeat(2000) }); await playtest.end();",
  );
  const [first, second] = gateway.requests;
  expect(first?.body.clockOffsetMs).toBeUndefined();
  expect(Math.abs(second?.body.clockOffsetMs + 7_200_000)).toBeLessThan(3000);
  expect(second?.headers["content-encoding"]).toBe("gzip");
  await expectStored({ session_start: 1, step: 1, session_summary: 1 });
  expect(errors).toEqual([]);
  await page.context().close();
});

test("keeps in memory what a full storage cannot hold", async () => {
  const { page, errors } = await openPage(await browser.newContext());
  gateway.behave("down");
  await run(page, "playtest.start(); for (let i = 0; i < 5; i += 1) playtest.track('early', { i });");
  const stored = "Object.values(localStorage).some((text) => text.includes('early'))";
  await expect.poll(() => page.evaluate(stored)).toBe(true);
  await page.evaluate(
    "for (let size = 1 << 22; size > 0; size >>= 1) { try { for (;;) localStorage.setItem('fill' + Math.random(), 'x'.repeat(size)); } catch {} }",
  );
  await run(page, "for (let i = 0; i < 20; i += 1) playtest.track('late', { i }); await playtest.flush();");
  gateway.behave("forward");
  await run(page, "await playtest.end();");
  await expectStored({ session_start: 1, early: 5, late: 20, session_summary: 1 });
  const left = "Object.keys(localStorage).filter((name) => name.includes('.events'))";
  await expect.poll(() => page.evaluate(left)).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("answers calls with wrong arguments, and survives receipts with unknown entries", async () => {
  const { page, errors } = await openPage(await browser.newContext());
  const receipt = { sessionId: "sess_1", accepted: 0, duplicates: 0, rejected: [null], warnings: [null] };
  gateway.behave({ status: 202, body: JSON.stringify(receipt) }, "forward");
  await run(page, "playtest.start(); window.dispatchEvent(new Event('pagehide'));");
  const queued = () => run(page, "return playtest.status().queuedBytes");
  await expect.poll(queued).toBe(0);
  expect(gateway.requests).toHaveLength(1);
  const calls = "[await playtest.bugReport(undefined, 'x'), await playtest.feedback('f', null)]";
  expect(await run(page, `return ${calls};`)).toMatchObject([{ ok: false }, { ok: false }]);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("survives the login page of a network", async () => {
  const { page, errors } = await openPage(await browser.newContext());
  gateway.behave(
    "forward",
    { status: 403, headers: { "content-type": "text/html" }, body: "<html>Log in</html>" },
    { status: 404, headers: { "content-type": "text/html" }, body: "<html>Not found</html>" },
    "forward",
  );
  await run(page, "playtest.start(); playtest.track('step'); await playtest.end();");
  await expectStored({ session_start: 1, step: 1, session_summary: 1 });
  expect(await run(page, "return playtest.status().stopped")).toBe(null);
  expect(errors).toEqual([]);
  await page.context().close();
});
