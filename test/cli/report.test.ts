/** The report on two builds: HTML and Markdown for the demo studio, unavailable parts, and exit codes. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport.ts";
import { withoutExtensions } from "../document-service.ts";
import { BASE_URL, createAppTransport, runCli, startTestService, type TestService } from "../harness.ts";
import { xmlFaultsOf } from "../render/well-formed.ts";
import { startDemo } from "./demo.ts";

let service: TestService;
beforeAll(async () => {
  service = await startDemo("studio", { console: { identity: null } });
});
afterAll(() => service.stop());

const fresh = () => mkdtempSync(join(tmpdir(), "playtest-report-"));
const report = (words: readonly string[], more: object = {}) =>
  runCli(["report", ...words, "-g", "ember"], { service, ...more });

/** The service, except that matching paths return this response. */
const faulty =
  (matching: RegExp, status: number, body: object): Transport =>
  async (request) =>
    matching.test(request.url)
      ? { status, headers: {}, body: JSON.stringify(body) }
      : await createAppTransport(service.app)(request);

describe("the report of the demo studio", () => {
  test("shows the verdict, the evidence, the rooms, the events and sessions to watch", async () => {
    const { code, out, err } = await report(["0.8.0", "0.9.0"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^### \d\. Ease the difficulty in furnace/m);
    expect(out).toContain("# Ember Hollow: 0.8.0 to 0.9.0\n");
    expect(out).toMatch(/^## ❌ 0\.9\.0 vs 0\.8\.0: worse in \d+ ways?, better in \d+$/m);
    expect(out).toMatch(/^GATE FAILED: 0\.9\.0 vs 0\.8\.0, \d+ of \d+ checks failed$/m);
    expect(out).toMatch(
      /^- Difficulty spike in furnace · \d+\/\d+ new testers, new room, limit 40% · Watch sess\\?_\w+ at \d+:\d\d · /m,
    );
    expect(out).toMatch(/^_Crosses: \d+ deaths .*\. Rings: \d+ last positions of ended sessions\._$/m);
    expect(out).toMatch(
      /^\*\*20 → \d+\*\* testers · \*\*[\d.]+ → [\d.]+\*\* Rating of “How much fun was it\?” · \*\*\d+% → \d+%\*\* shared rooms completed · \*\*1\dm → 1\dm\*\* mean active time per tester/m,
    );
    expect(out).toMatch(
      /^\| Confusion reported in answers to “Anything else\?”<br>confusion:feedback-more \| 1\/13 → 15\/22 \| \+\d+ pts \| \+\d+ to \+\d+ \| failed \|$/m,
    );
    expect(out).toMatch(
      /^\| Rating of “How much fun was it\?” \| [\d.]+ → [\d.]+ \| [+-]?[\d.]+ \| [+-][\d.]+ to [+-][\d.]+ \| [a-z ]+ \|$/m,
    );
    expect(out).toMatch(
      /^\| Completed gardens \| \d+\/\d+ → \d+\/\d+ \| .* pts.* \| .* to .* \| [a-z ]+ \|$/m,
    );
    expect(out).toMatch(
      /^\| Failed 14 times in a row in furnace, after \d+m \d\ds of play \| Quit in furnace after 14 failures, 22m \(rafa_br\)<br>sess_\w+ \| 2026-02-2\d \d\d:\d\d \|/m,
    );
    expect(out).toMatch(
      /^\| Quit in furnace, after \d+m \d\ds of play \| Quit in furnace after \d+ failures, .*<br>sess_\w+ \|/m,
    );
    expect(out).toMatch(
      /^- \*\*furnace\*\*: Only in 0\.9\.0: [\d,]+ positions; no positions were recorded in 0\.8\.0, so there is nothing to compare$/m,
    );
    expect(out).toMatch(/^\| application_error \| 0 \| 5 \| 0\.00 → 0\.14 \|$/m);
    expect(out).toMatch(/^> The furnace boss is frustrating/m);
    expect(out).toContain(
      "_Sessions in production: the number of events in each build, and the number per session._",
    );
    // No table of the report lists kinds of change.
    expect(out).not.toContain("Carried over");
  });

  test("shows what a service with only the API document has, whose insights have no tags", async () => {
    const { code, out, err } = await report(["0.8.0", "0.9.0"], {
      transport: withoutExtensions(createAppTransport(service.app)),
    });
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^- Difficulty spike in furnace · \+\d+ pts$/m);
    expect(out).toContain("Found no session of 0.9.0 behind friction or quits that got worse.");
    expect(out).toContain("No written feedback. Only answers from the sessions worth watching were read.");
  });

  test("is a file at a terminal, named after the builds, with its answer in three lines", async () => {
    const cwd = fresh();
    const { code, out, err } = await report([], { cwd, tty: true });
    expect([code, err]).toEqual([0, expect.stringContaining("Wrote ember-0.8.0-to-0.9.0.html\n")]);
    expect(out.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^✗ GATE FAILED: 0\.9\.0 vs 0\.8\.0/),
      expect.stringMatching(/^ {2}ember · production · 20 → \d+ testers$/),
      expect.stringMatching(/^ {2}difficulty-spike:furnace, quit:furnace, /),
    ]);
    expect(readFileSync(join(cwd, "ember-0.8.0-to-0.9.0.html"), "utf8")).toContain("GATE FAILED");
    const printed = await report(["--out", "-"], { cwd, tty: true });
    expect(printed.out).toContain("# Ember Hollow: 0.8.0 to 0.9.0\n");
    expect(printed.out).toBe((await report([], { cwd, tty: false })).out);
  });

  test("accepts previous and latest, and has the same content in HTML", async () => {
    const cwd = fresh();
    const { code, out, err } = await report(["previous", "latest", "--out", "r.html"], { cwd });
    expect([code, err.split("\n").at(-2)]).toEqual([0, "Wrote r.html"]);
    expect(out).toMatch(/^✗ GATE FAILED: 0\.9\.0 vs 0\.8\.0, 3 of \d+ checks failed\n/);
    expect(readdirSync(cwd).filter((name) => name.startsWith("r"))).toEqual(["r.html"]);
    const html = readFileSync(join(cwd, "r.html"), "utf8");
    for (const text of [
      "GATE FAILED",
      "confusion:<wbr/>feedback-more",
      "The furnace boss is frustrating",
      "fps_drop",
    ]) {
      expect(html).toContain(text);
    }
    // One h1, and no heading skips a level.
    const levels = [...html.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels.every((level, at) => at === 0 || level <= (levels[at - 1] ?? 0) + 1)).toBe(true);
    expect(html.match(/<svg/g)?.length).toBe(
      html.match(/<svg[^>]*(aria-label="[^"]|aria-hidden="true")/g)?.length,
    );
    // The only addresses are those of the console.
    const links = [...html.matchAll(/ href="([^"]*)"/g)].map(([, href = ""]) => href);
    expect(links.length).toBeGreaterThan(10);
    for (const href of links) expect(href.startsWith(`${BASE_URL}/games/ember/`)).toBe(true);
    expect(html.replaceAll(/ href="[^"]*"/g, "")).not.toMatch(/<script|<link|https?:|@import|url\(|\son\w+=/);
    expect(await xmlFaultsOf([html])).toEqual([]);
  });

  test("has no links without a console", async () => {
    const api = await startDemo("studio");
    const { out } = await report(["0.8.0", "0.9.0", "--format", "html"], { service: api });
    await api.stop();
    expect(out).toContain("What is worse");
    expect(out).not.toContain(" href=");
  });

  test("is identical every time, and available as JSON", async () => {
    const words = ["0.8.0", "0.9.0", "--format", "html"];
    expect((await report(words)).out).toBe((await report(words)).out);
    const { out } = await report(["0.8.0", "0.9.0", "--json"]);
    expect(JSON.parse(out).verdict.verdict).toBe("failed");
  });

  test("exits with the code of the gate if --exit-code is set, and applies the rules of the repository", async () => {
    const failed = await report(["0.8.0", "0.9.0", "--exit-code"]);
    expect([failed.code, failed.out.length > 1000, failed.err]).toEqual([
      10,
      true,
      expect.stringMatching(/^GATE FAILED: .* \d+ of \d+ checks failed: .*\bconfusion:feedback-more\b/m),
    ]);
    const cwd = fresh();
    writeFileSync(
      join(cwd, "playtest.config.json"),
      JSON.stringify({ gate: { kinds: { introduced: { level: "off" }, got_larger: { level: "warn" } } } }),
    );
    const passed = await report(["0.8.0", "0.9.0", "--exit-code"], { cwd });
    expect([passed.code, passed.out]).toEqual([0, expect.stringContaining("GATE PASSED")]);
    const unclear = await report(["0.7.5", "0.8.0", "--exit-code", "--env", "staging"]);
    expect([unclear.code, unclear.out]).toEqual([
      11,
      expect.stringContaining("nothing to compare, 0.7.5 and 0.8.0 have no testers in staging"),
    ]);
    const unknown = await report(["0.8.0", "0.9.0", "--exit-code", "--env", "nowhere"]);
    expect([unknown.code, unknown.out]).toEqual([44, ""]);
  });

  test("combines all environments with --env all, and says why there are no suggestions", async () => {
    const { code, out } = await report(["0.8.0", "0.9.0", "--env", "all"]);
    expect(code).toBe(0);
    expect(out).toContain("· all environments ·");
    expect(out).toContain("> No suggestions available. Suggestions are for one environment");
  });
});

describe("unavailable parts", () => {
  const parts: [string, RegExp, string, string][] = [
    ["heatmaps", /\/heatmaps/, "No heatmaps available.", "fps\\_drop|fps_drop"],
    ["events", /\/events\//, "No events available.", "\\*\\*furnace\\*\\*"],
  ];
  test.each(parts)("are replaced by the reason: %s", async (_part, path, message, rest) => {
    const failures: [number, object, string][] = [
      [500, { error: "Internal error" }, "Internal error"],
      [404, { error: "Not found" }, "No game ember"],
    ];
    for (const [status, body, why] of failures) {
      const { code, out, err } = await report(["0.8.0", "0.9.0"], { transport: faulty(path, status, body) });
      expect(code).toBe(0);
      expect(out).toContain(`> ${message} ${why}`);
      expect(out).toMatch(new RegExp(rest));
      expect(err).toContain("The report has no ");
    }
  });

  test("are the quotes of a service that fails to list feedback", async () => {
    const transport = faulty(/\/feedback\//, 500, { error: "Internal error" });
    const { code, out, err } = await report(["0.8.0", "0.9.0"], { transport });
    expect([code, err]).toEqual([0, expect.stringContaining("The report has no quotes: Internal error\n")]);
    expect(out).toContain("> No quotes available. Internal error");
  });

  test("are the sessions of a service that does not select any", async () => {
    const failing = faulty(/\/insights/, 500, { error: "Internal error" });
    const { code, out } = await report(["0.8.0", "0.9.0"], { transport: withoutExtensions(failing) });
    expect(code).toBe(0);
    expect(out).toContain("> No sessions worth watching available. Internal error");
    expect(out).toContain("No written feedback.");
  });

  test("say that suggestions need an AI key", async () => {
    const unpaid = { error: "AI key required", requiresPremium: true };
    const transport = faulty(/suggestions/, 402, unpaid);
    const { code, out } = await report(["0.8.0", "0.9.0"], { transport });
    expect(code).toBe(0);
    expect(out).toContain("> No suggestions available. AI key required. The account has no model provider.");
  });

  test("fail the whole report if they are the comparison, or if the key is rejected", async () => {
    expect((await report(["0.8.0", "9.9"])).code).toBe(44);
    const refused = { transport: faulty(/heatmaps/, 401, { error: "Invalid key" }) };
    expect((await report(["0.8.0", "0.9.0"], refused)).code).toBe(41);
  });

  test("leave no file behind if the report fails", async () => {
    const cwd = fresh();
    await report(["0.8.0", "9.9", "--out", "r.html"], { cwd });
    expect(readdirSync(cwd).filter((name) => name.startsWith("r"))).toEqual([]);
  });
});

test("reports on builds without events", async () => {
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
  expect(out).toContain("2 vs 1: too few testers to compare: 1 and 1, 5 needed");
  expect(out).toContain("Neither build has player positions");
  expect(out).toContain("Found no session of 2 behind friction or quits that got worse.");
});
