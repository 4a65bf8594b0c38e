/** gate: an error also writes every requested report, so that the next steps of a CI job find their files. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClientError } from "../../src/client/errors.ts";
import { gateError } from "../../src/gate/gate-error.ts";
import { gateVerdict } from "../../src/gate/verdict.ts";
import { type CliOptions, freshFolder, NOW, runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

let service: TestService;
beforeAll(async () => {
  service = await startDemo("studio");
});
afterAll(() => service.stop());

const kinds = ["text=out/gate.txt", "json=out/gate.json", "junit=out/gate.xml", "md=out/gate.md", "github"];
const reportFlags = kinds.flatMap((kind) => ["--report", kind]);

/** Runs the gate with reports of all kinds. */
async function gate(argv: readonly string[], options: CliOptions = {}) {
  const cwd = options.cwd ?? freshFolder();
  const runner = { GITHUB_STEP_SUMMARY: join(cwd, "summary.md"), GITHUB_OUTPUT: join(cwd, "output") };
  const env = { PLAYTEST_GAME: "ember", ...runner, ...options.env };
  const run = await runCli(["gate", ...argv], { service, ...options, cwd, env });
  const read = (name: string) => readFileSync(join(cwd, name), "utf8");
  return { ...run, cwd, read };
}

const refusing = (code: "network" | "timeout") => async () => {
  throw new ClientError(code, "Cannot reach the service");
};
const replying = (status: number, body: object) => async () => ({
  status,
  headers: { "content-type": "application/json", "x-request-id": "req-7" },
  body: JSON.stringify(body),
});

const failures: readonly [what: string, exit: number, code: string, options: CliOptions, argv?: string[]][] =
  [
    ["no key", 3, "config", { env: { PLAYTEST_KEY: undefined } }],
    ["no base URL", 3, "config", { env: { PLAYTEST_BASE_URL: undefined } }],
    ["an unknown build", 44, "not_found", {}, ["9.9.9", "0.9.0"]],
    [
      "an unknown build after --wait",
      44,
      "not_found",
      { clock: { now: NOW } },
      ["9.9.9", "0.9.0", "--wait", "20s"],
    ],
    ["a missing baseline file", 3, "config", {}, ["@none.json", "0.9.0"]],
    ["an invalid number", 2, "usage", {}, ["0.8.0", "0.9.0", "--confidence", "2"]],
    ["a revoked key", 41, "unauthorized", { transport: replying(401, { error: "Unauthorized" }) }],
    ["a key without access", 43, "forbidden", { transport: replying(403, { error: "Forbidden" }) }],
    ["a failing service", 50, "internal", { transport: replying(500, { error: "Internal error" }) }],
    ["an unreachable service", 51, "network", { transport: refusing("network") }],
    ["a slow service", 52, "timeout", { transport: refusing("timeout") }],
    ["another service", 53, "contract", { transport: replying(200, { hello: "world" }) }],
  ];

describe("an error writes reports of every kind", () => {
  test.each(failures)("%s", async (_what, exit, code, options, argv = ["0.8.0", "0.9.0"]) => {
    const run = await gate([...argv, ...reportFlags], options);
    const { error, ...report } = gateError.parse(JSON.parse(run.read("out/gate.json")));
    expect([run.code, error.exitCode, error.code]).toEqual([exit, exit, code]);
    expect(report).toMatchObject({ game: "ember", environment: "production", a: argv[0], b: argv[1] });
    expect(run.err).toContain(`error: ${error.message}`);
    expect(run.err).toMatch(/^::error title=Playtest gate error::/m);
    expect(run.read("out/gate.xml")).toMatch(/tests="1" failures="0" errors="1"[\s\S]*<error message=/);
    expect(run.read("out/gate.txt")).toMatch(/^✗ ERROR: /);
    expect(run.read("out/gate.md")).toMatch(
      /^### Gate error: [\s\S]*\n<!-- playtest-gate:ember:production -->\n$/,
    );
    expect(run.read("summary.md")).toMatch(/^### Gate error: /);
    expect(run.read("output")).toMatch(/^verdict<<GATE_END\nerror\nGATE_END\n/);
    expect(run.read("output")).toContain(`\nexit-code<<GATE_END\n${exit}\nGATE_END\n`);
  });

  test("invalid settings, before the gate starts", async () => {
    const home = freshFolder();
    mkdirSync(join(home, "config"));
    writeFileSync(join(home, "config", "config.json"), "{");
    const run = await gate(["0.8.0", "0.9.0", ...reportFlags], { home });
    expect([run.code, JSON.parse(run.read("out/gate.json")).error.code]).toEqual([3, "config"]);
  });

  test("the environment of the rules is part of the marker", async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "playtest.config.json"), JSON.stringify({ gate: { env: "qa" } }));
    const marker = async (...flags: string[]) =>
      (await gate(["9.9.9", "0.9.0", ...flags, ...reportFlags], { cwd }))
        .read("out/gate.md")
        .split("\n")
        .at(-2);
    expect(await marker()).toBe("<!-- playtest-gate:ember:qa -->");
    expect(await marker("--env", "dev")).toBe("<!-- playtest-gate:ember:dev -->");
  });

  test("the marker has the slug of a game that was given by its id", async () => {
    const { json } = await service.get("/api/v1/games/ember");
    const game = (json as { game: { id: string } }).game.id;
    const run = await gate(["9.9.9", "0.9.0", "--game", game, ...reportFlags]);
    expect([run.code, JSON.parse(run.read("out/gate.json")).game]).toEqual([44, "ember"]);
    expect(run.read("out/gate.md")).toMatch(/\n<!-- playtest-gate:ember:production -->\n$/);
    const failing = await gate(["0.8.0", "0.9.0", "--game", game, ...reportFlags], {
      transport: refusing("network"),
    });
    expect([failing.code, JSON.parse(failing.read("out/gate.json")).game]).toEqual([51, game]);
  });
});

describe("a report on standard output", () => {
  test("is the error", async () => {
    const { code, out, err } = await gate(["9.9.9", "0.9.0", "--report", "json"]);
    expect([code, gateError.parse(JSON.parse(out)).error.code]).toEqual([44, "not_found"]);
    expect(err).toContain("error: ");
    expect((await gate(["9.9.9", "0.9.0", "--report", "junit"])).out).toMatch(/^<\?xml/);
  });

  test("is not written without --report, or if --report is invalid", async () => {
    for (const flags of [[], ["--json"], ["--report", "xml"], ["--report", "md", "--report", "junit"]]) {
      const { out, cwd } = await gate(["9.9.9", "0.9.0", ...flags]);
      expect([out, existsSync(join(cwd, "output"))]).toEqual(["", false]);
    }
  });
});

test("a report that cannot be written does not prevent the others", async () => {
  const cwd = freshFolder();
  mkdirSync(join(cwd, "taken"));
  const argv = [
    "0.8.0",
    "0.9.0",
    "--report",
    "json=taken",
    "--report",
    "junit=gate.xml",
    "--report",
    "github",
  ];
  const { code, err, read } = await gate(argv, { cwd });
  expect(code).toBe(3);
  expect(err).toContain("error: Cannot write the report taken: it is a folder");
  expect(err).not.toContain("Warning");
  expect(read("gate.xml")).toContain('<error message="Cannot write the report taken');
  expect(read("output")).toContain("\nerror<<GATE_END\nconfig\n");
  const both = await gate(["9.9.9", "0.9.0", "--report", "json=taken", "--report", "junit=gate.xml"], {
    cwd,
  });
  expect([both.code, both.err]).toEqual([
    44,
    expect.stringContaining("Warning: Cannot write the report taken"),
  ]);
});

test("a verdict is written as before", async () => {
  const { code, read } = await gate(["0.8.0", "0.9.0", ...reportFlags]);
  expect([code, gateVerdict.parse(JSON.parse(read("out/gate.json"))).verdict]).toEqual([10, "failed"]);
});
