/** Every command that reads, with a service that has only the API document and refuses everything else. */
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { EXTENSIONS_HEADER } from "../../src/contract/announcement.ts";
import { responseBodies } from "../client/response-fixtures.ts";
import { script } from "../client/script.ts";
import { withoutExtensions } from "../document-service.ts";
import { BASE_URL, createAppTransport, NOW, runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

/** Commands that the document is enough for, at least for a shorter answer. */
const answered = [
  ...[
    "games list",
    "games get",
    "status",
    "events",
    "builds list",
    "heatmap",
    "heatmap --all",
    "heatmap --cells",
  ],
  ...["heatmap --build 0.9.0 --diff 0.8.0", "heatmap --room furnace", "sessions list", "insights list"],
  ...["insights list --type difficulty-spike", "builds get 0.9.0", "builds compare 0.8.0 0.9.0"],
  ...["builds compare 0.8.0 0.9.0 --all", "testers archetypes", "experiments list", "games prompts"],
  ...["experiments compare lanterns", "gate 0.8.0 0.9.0", "report 0.8.0 0.9.0 --format md"],
];
/** Commands that need an extension. */
const unsupported = [
  ...["builds dropoff 0.9.0", "builds trend", "testers list", "testers retention"],
  ...["crashes list", "feedback list", "bug-reports list", "funnel room:dock room:furnace"],
  ...[
    "sessions list --sort watch",
    "insights list --tag difficulty-spike:furnace",
    "heatmap --event player_death",
  ],
  ...["heatmap --source godot-telemetry", "heatmap --marks deaths", "heatmap --bounds robust"],
];

let service: TestService;
beforeAll(async () => {
  service = await startDemo("studio");
});
afterAll(() => service.stop());

async function run(line: string, more: object = {}) {
  const transport = withoutExtensions(createAppTransport(service.app));
  return await runCli([...line.split(" "), "-g", "ember"], {
    ...{ service, transport, tty: true, columns: 100, colors: 0, clock: { now: NOW } },
    ...more,
  });
}

describe("a service that has only the document", () => {
  it.each(answered)("answers %s", async (line) => {
    const { code, out, err } = await run(line);
    expect([code, err]).toEqual([line.startsWith("gate") ? expect.any(Number) : 0, expect.any(String)]);
    expect([0, 10, 11]).toContain(code);
    expect(out).not.toBe("");
  });

  it.each(answered.filter((line) => !line.includes("--")))("answers %s --json", async (line) => {
    const { code, out } = await run(`${line} --json`, { tty: false });
    expect([0, 10, 11]).toContain(code);
    JSON.parse(out);
  });

  it.each(unsupported)("is reported as without what %s needs", async (line) => {
    const { code, out } = await run(line);
    expect([code, out]).toEqual([54, ""]);
  });
});

describe("builds suggestions without an AI model", () => {
  const ask = (announced: string, ...flags: readonly string[]) => {
    const { transport, requests } = script(({ url }) => {
      const { pathname, searchParams } = new URL(url);
      if (pathname === "/api/v1/games")
        return { body: responseBodies.listGames, headers: { [EXTENSIONS_HEADER]: announced } };
      if (searchParams.has("fallback")) return { body: responseBodies.getBuildSuggestions };
      return { status: 402, body: { error: "Payment required", requiresPremium: true } };
    });
    const args = ["builds", "suggestions", "0.9.0", "-g", "ember", ...flags];
    return {
      run: runCli(args, { env: { PLAYTEST_BASE_URL: BASE_URL, PLAYTEST_KEY: "k" }, transport }),
      requests,
    };
  };
  const RULES = "getBuildSuggestions?fallback";

  test("come from rules where the service announces these, after it was asked as documented", async () => {
    const { run, requests } = ask(RULES);
    expect((await run).code).toBe(0);
    expect(requests.map(({ url }) => new URL(url).searchParams.get("fallback"))).toEqual([
      null,
      null,
      "rules",
    ]);
  });

  test("end with exit code 42 elsewhere, and with --ai-only", async () => {
    expect((await ask("").run).code).toBe(42);
    expect((await ask(RULES, "--ai-only").run).code).toBe(42);
  });
});
