/** The report of two builds: the demo studio's page and Markdown, parts that cannot be had, and exit codes. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport.ts";
import { runCli, startTestService, type TestService, transportOf } from "../harness.ts";
import { xmlFaultsOf } from "../render/well-formed.ts";
import { startDemo } from "./demo.ts";

let service: TestService;
beforeAll(async () => {
  service = await startDemo("studio");
});
afterAll(() => service.stop());

const fresh = () => mkdtempSync(join(tmpdir(), "playtest-report-"));
const report = (words: readonly string[], more: object = {}) =>
  runCli(["report", ...words, "-g", "ember"], { service, ...more });

/** The service, but for the paths that match, which answer this. */
const faulty =
  (matching: RegExp, status: number, body: object): Transport =>
  async (request) =>
    matching.test(request.url)
      ? { status, headers: {}, body: JSON.stringify(body) }
      : await transportOf(service.app)(request);

describe("the report of the demo studio", () => {
  test("tells the verdict, the evidence, the rooms, the events and what to watch", async () => {
    const { code, out, err } = await report(["0.8.0", "0.9.0"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^### 1\. Look into the unhappy answers/m);
    expect(out).toContain("# Ember Hollow: 0.8.0 to 0.9.0\n");
    expect(out).toContain("## ❌ The gate fails");
    expect(out).toMatch(
      /^\| difficulty-spike:furnace \| \+50\.0 \| 0 of 20 → 11 of 22 \| Failed \| 0\.00028 \|$/m,
    );
    expect(out).toMatch(/^### difficulty-spike:furnace \(\d+ findings\)$/m);
    expect(out).toMatch(/^- \*\*furnace\*\*: only in 0\.9\.0: [\d,]+ positions$/m);
    expect(out).toMatch(/^\| Median active time \| 11m 22s \| 12m 39s \| \+11 % \|$/m);
    expect(out).toMatch(/^\| application_error \| 0 \| 5 \| 0\.00 → 0\.17 \|$/m);
    expect(out).toMatch(/^\| Ember Hollow 0\.9\.0, from dock.*<br>sess_\w+ \| 2026-02-2\d \d\d:\d\d \|/m);
    expect(out).toMatch(/^> The furnace boss is frustrating/m);
  });

  test("has the same for previous and latest, and the page holds what the Markdown does", async () => {
    const cwd = fresh();
    const { code, err } = await report(["previous", "latest", "--out", "r.html"], { cwd });
    expect([code, err.split("\n").at(-2)]).toEqual([0, "Wrote r.html: 0.8.0 to 0.9.0, the gate: failed"]);
    expect(readdirSync(cwd).filter((name) => name.startsWith("r"))).toEqual(["r.html"]);
    const html = readFileSync(join(cwd, "r.html"), "utf8");
    for (const text of [
      "The gate fails",
      "difficulty-spike:<wbr/>furnace",
      "The furnace boss is frustrating",
      "fps_drop",
    ]) {
      expect(html).toContain(text);
    }
    // One heading of the first kind, then none that leaves a kind out.
    const levels = [...html.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels.every((level, at) => at === 0 || level <= (levels[at - 1] ?? 0) + 1)).toBe(true);
    expect(html.match(/<svg/g)?.length).toBe(
      html.match(/<svg[^>]*(aria-label="[^"]|aria-hidden="true")/g)?.length,
    );
    expect(html).not.toMatch(/<script|<link|https?:|@import|url\(|\son\w+=/);
    expect(await xmlFaultsOf([html])).toEqual([]);
  });

  test("is the same bytes each time, and JSON where that is asked for", async () => {
    const words = ["0.8.0", "0.9.0", "--format", "html"];
    expect((await report(words)).out).toBe((await report(words)).out);
    const { out } = await report(["0.8.0", "0.9.0", "--json"]);
    expect(JSON.parse(out).verdict.verdict).toBe("failed");
  });

  test("exits by the gate where that is asked for, and judges by the repository's rules", async () => {
    const failed = await report(["0.8.0", "0.9.0", "--exit-code"]);
    expect([failed.code, failed.out.length > 1000, failed.err]).toEqual([
      10,
      true,
      expect.stringContaining("Failed: difficulty-spike:furnace"),
    ]);
    const cwd = fresh();
    writeFileSync(
      join(cwd, "playtest.config.json"),
      JSON.stringify({ gate: { kinds: { introduced: { level: "off" }, got_larger: { level: "warn" } } } }),
    );
    const passed = await report(["0.8.0", "0.9.0", "--exit-code"], { cwd });
    expect([passed.code, passed.out]).toEqual([0, expect.stringContaining("The gate passes")]);
    const unclear = await report(["0.8.0", "0.9.0", "--exit-code", "--env", "nowhere"]);
    expect([unclear.code, unclear.out]).toEqual([
      11,
      expect.stringContaining("Nothing to compare: no testers of 0.8.0 and 0.9.0."),
    ]);
  });

  test("is about every environment where that is asked for, and says why there are no suggestions then", async () => {
    const { code, out } = await report(["0.8.0", "0.9.0", "--env", "all"]);
    expect(code).toBe(0);
    expect(out).toContain("in every environment.");
    expect(out).toContain("> Suggestions could not be had. Suggestions are about one environment");
  });
});

describe("a part that cannot be had", () => {
  const parts: [string, RegExp, string, string][] = [
    ["findings", /\/insights/, "What was found of them could not be had.", "## How long they played"],
    ["heatmaps", /\/heatmaps/, "The heatmaps could not be had.", "fps\\_drop|fps_drop"],
    ["events", /\/events\//, "The events could not be had.", "\\*\\*furnace\\*\\*"],
    ["play time", /\/builds\/ember\//, "The play time could not be had.", "\\*\\*furnace\\*\\*"],
    ["quotes", /\/sessions\/sess/, "What players wrote could not be had.", "Sessions worth watching"],
  ];
  test.each(parts)("is told in its place: %s", async (_what, path, told, rest) => {
    const failures: [number, object, string][] = [
      [500, { error: "Internal error" }, "Internal error"],
      [404, { error: "Not found" }, "Not found"],
    ];
    for (const [status, body, why] of failures) {
      const { code, out, err } = await report(["0.8.0", "0.9.0"], { transport: faulty(path, status, body) });
      expect(code).toBe(0);
      expect(out).toContain(`> ${told} ${why}`);
      expect(out).toMatch(new RegExp(rest));
      expect(err).toContain("Without ");
    }
  });

  test("is told by its price: suggestions", async () => {
    const unpaid = { error: "AI key required", requiresPremium: true };
    const transport = faulty(/suggestions/, 402, unpaid);
    const { code, out } = await report(["0.8.0", "0.9.0"], { transport });
    expect(code).toBe(0);
    expect(out).toContain(
      "> Suggestions could not be had. AI key required. Add an AI key in the account settings.",
    );
  });

  test("but the comparison itself is an error, and so is a key that is refused", async () => {
    expect((await report(["0.8.0", "9.9"])).code).toBe(44);
    const refused = { transport: faulty(/heatmaps/, 401, { error: "Invalid key" }) };
    expect((await report(["0.8.0", "0.9.0"], refused)).code).toBe(41);
  });

  test("writes no file where the report fails", async () => {
    const cwd = fresh();
    await report(["0.8.0", "9.9", "--out", "r.html"], { cwd });
    expect(readdirSync(cwd).filter((name) => name.startsWith("r"))).toEqual([]);
  });
});

test("a report of builds without play is whole", async () => {
  const bare = await startTestService();
  await bare.addGame("ember");
  for (const build of ["1", "2"]) {
    await bare.post("/api/telemetry", {
      gameId: "ember",
      sessionMetadata: { gameVersion: build, platform: "x" },
      sessionEnded: true,
      events: [],
    });
  }
  const { code, out } = await runCli(["report", "1", "2", "-g", "ember"], { service: bare });
  await bare.stop();
  expect(code).toBe(0);
  expect(out).toContain("No friction was found in either build.");
  expect(out).toContain("Neither build has positions");
  expect(out).toContain("No session of 2 shows friction that got worse.");
});
