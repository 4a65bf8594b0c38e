/** The sample game for browsers, started as its README says. It plays by itself. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { readSessions, startGateway } from "../clients/gateway.ts";
import { FLAGS, PROGRAM } from "./browser.ts";

const start = join(import.meta.dirname, "..", "..", "examples", "browser", "start.mjs");

test("what is played arrives, and is drawn as a heatmap", async () => {
  const gateway = await startGateway();
  await gateway.service.addGame("sample");
  const { ingest } = gateway.service.keys;
  const env = { ...process.env, PLAYTEST_BASE_URL: gateway.url, PLAYTEST_INGEST_KEY: ingest, PORT: "0" };
  const site = spawn(process.execPath, [start], { env, stdio: ["ignore", "pipe", "inherit"] });
  const browser = await chromium.launch({ executablePath: PROGRAM, args: FLAGS });
  try {
    const [line] = await once(site.stdout, "data");
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.goto(`${/http:\S+/.exec(String(line))?.[0]}?bot`);
    const counts = async () => (await readSessions(gateway, "sample"))[0]?.event_counts ?? {};
    await expect.poll(async () => (await counts()).player_pos ?? 0, { timeout: 60_000 }).toBeGreaterThan(20);
    expect(await counts()).toMatchObject({ session_start: 1, level_started: expect.any(Number) });
    const { json } = await gateway.service.get("/api/v1/heatmaps/sample?env=all&source=all");
    expect(json.rooms.map(({ room }: { room: string }) => room)).toContain("meadow");
    expect(errors).toEqual([]);
    if (process.env.PLAYTEST_KEEP_PICTURE) await page.screenshot({ path: process.env.PLAYTEST_KEEP_PICTURE });
  } finally {
    await browser.close();
    site.kill();
    await gateway.stop();
  }
  expect(gateway.service.faults).toEqual([]);
});

test("names the variables that are missing", async () => {
  const { PLAYTEST_BASE_URL: _, ...env } = process.env;
  const site = spawn(process.execPath, [start], { env, stdio: ["ignore", "ignore", "pipe"] });
  const [[text], [code]] = await Promise.all([once(site.stderr, "data"), once(site, "exit")]);
  expect([String(text), code]).toEqual([expect.stringContaining("PLAYTEST_INGEST_KEY"), 2]);
});
