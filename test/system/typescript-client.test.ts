/** The TypeScript client in a browser: cross-origin requests, localStorage, focus. test/clients runs it in Node. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Gateway, readSessions, startGateway } from "../clients/gateway.ts";
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
async function run(page: Page, code: string): Promise<unknown> {
  const options = {
    baseUrl: gateway.url,
    key: gateway.service.keys.ingest,
    gameId: "maze",
    gameVersion: "0.9.0",
    environment: "playtest",
    flushSec: 1,
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
  expect(left).toEqual(["playtest:maze:device"]);
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
