/** The GitHub Action: runs the steps of action.yml in a shell against the demo studio, with a `gh` that stores comments. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listen } from "../../src/server/http/listen.ts";
import { startDemo } from "../cli/demo.ts";
import { program, root } from "../cli/program.ts";
import { freshFolder, type TestService } from "../harness.ts";
import { parseAction, runAction } from "./github-runner.ts";
import { createTempFolder, pack } from "./packed.ts";

const source = readFileSync(join(root, "action.yml"), "utf8");
const action = parseAction(source);

let service: TestService;
let listening: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  service = await startDemo("studio");
  listening = await listen(service.app, { host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await listening.close();
  await service.stop();
});

const MARKER = "<!-- playtest-gate:ember:production -->";

interface Comment {
  readonly id: string;
  readonly author: string;
  readonly body: string;
}

interface Options {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly pullRequest?: string;
  readonly comments?: readonly Comment[];
  readonly readOnly?: boolean;
  readonly workspace?: string;
  /** Uses npm itself instead of a stub that packs a link to this program. */
  readonly npm?: true;
}

function writeProgram(file: string, body: string): void {
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
}

/** Runs the action for a pull request, and returns the comments afterwards. */
async function run({
  inputs = {},
  env = {},
  pullRequest = "7",
  comments = [],
  readOnly,
  npm,
  ...rest
}: Options = {}) {
  const workspace = rest.workspace ?? join(freshFolder(), "workspace");
  const bin = join(workspace, "..", "bin");
  mkdirSync(workspace, { recursive: true });
  mkdirSync(bin, { recursive: true });
  const state = join(workspace, "..", "comments.json");
  const github = { viewer: "github-actions", token: "ghs_test", pullRequest: "studio/game#7", readOnly };
  writeFileSync(state, JSON.stringify({ ...github, comments }));
  writeProgram(
    join(bin, "gh"),
    `exec "${process.execPath}" "${join(import.meta.dirname, "fake-gh.mjs")}" "$@"`,
  );
  const folder = join(workspace, "..", "runner-temp", "playtest-gate");
  const stub = [
    `printf '%s\\n' "npm $*" >&2`,
    `mkdir -p "${folder}/package/bin" "${folder}/package/dist"`,
    `echo package/bin/playtest.js > "${folder}/package/dist/gate-files.txt"`,
    `ln -sf "${program}" "${folder}/package/bin/playtest.js"`,
    `tar -czf "${folder}/playtest.tgz" -C "${folder}" package`,
    "echo playtest.tgz",
  ].join("\n");
  if (!npm) writeProgram(join(bin, "npm"), stub);
  const ran = await runAction(action, {
    workspace,
    inputs: { baseline: "0.8.0", build: "0.9.0", game: "ember", package: "playtest@0.1.0", ...inputs },
    github: { token: "ghs_test", "event.pull_request.number": pullRequest },
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: workspace,
      CI: "true",
      GITHUB_ACTIONS: "true",
      GITHUB_REPOSITORY: "studio/game",
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_REF_TYPE: "branch",
      GITHUB_REF_NAME: "7/merge",
      FAKE_GH_STATE: state,
      PLAYTEST_BASE_URL: listening.url,
      PLAYTEST_KEY: service.keys.management,
      ...env,
    },
  });
  const after = (JSON.parse(readFileSync(state, "utf8")) as { comments: Comment[] }).comments;
  const report = (name: string) => readFileSync(join(workspace, "playtest-gate", name), "utf8");
  return { ...ran, comments: after, report, workspace };
}

/** The number of failed rows in a JSON report. */
const countFailed = (report: string) =>
  (JSON.parse(report) as { checks: { ruling: string }[] }).checks.filter(({ ruling }) => ruling === "failed")
    .length;

/** A workspace with rules that allow any increase. */
function createTolerantWorkspace(): string {
  const workspace = join(freshFolder(), "workspace");
  mkdirSync(join(workspace, "game"), { recursive: true });
  const rules = JSON.stringify({ gate: { maxIncreasePoints: 100, newRooms: { max: 100 } } });
  writeFileSync(join(workspace, "playtest.config.json"), rules);
  writeFileSync(join(workspace, "game", "rules.json"), rules);
  return workspace;
}

describe("action.yml", () => {
  test("describes each input and output", () => {
    expect(action.runs.using).toBe("composite");
    for (const { description } of [...Object.values(action.inputs), ...Object.values(action.outputs)])
      expect(description).toMatch(/\w/);
  });

  test("pins the actions that it uses by commit, and has no expressions in scripts", () => {
    for (const { uses, run: script = "", shell } of action.runs.steps) {
      if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      else expect([shell, script.includes("${{")]).toEqual(["bash", false]);
    }
    expect(source).not.toMatch(/\blatest\b/);
  });

  test("installs a package without its scripts, and requires one until the registry has it", async () => {
    const { log } = await run();
    expect(log).toMatch(/^npm pack --silent --ignore-scripts .*-- playtest@\d+\.\d+\.\d+$/m);
    const { failed, steps, outputs } = await run({ inputs: { package: "" } });
    expect([failed, steps, outputs.verdict]).toEqual([true, { "Install playtest": 2 }, ""]);
  });
});

describe("a run for a pull request", () => {
  test("writes the outputs, the summary, the reports and a comment, and fails with the code of the gate", async () => {
    const { failed, steps, outputs, summary, uploads, comments, report, log } = await run();
    expect([failed, steps.Verdict, steps.Comment]).toEqual([true, 10, 0]);
    expect(outputs).toMatchObject({
      verdict: "failed",
      build: "0.9.0",
      failed: String(countFailed(report("gate.json"))),
      error: "",
      "exit-code": "10",
    });
    expect(summary).toMatch(/^### GATE FAILED: \S+ vs \S+, \d+ of \d+ checks failed\n/);
    expect(uploads).toEqual([
      { name: "playtest-gate", path: "./playtest-gate", "if-no-files-found": "ignore" },
    ]);
    expect(comments).toEqual([{ id: "IC_0", author: "github-actions", body: report("gate.md") }]);
    expect(comments[0]?.body).toMatch(/^### GATE FAILED: \S+ vs \S+, \d+ of \d+ checks failed\n/);
    expect(report("gate.xml")).toContain("<failure ");
    expect(JSON.parse(report("gate.json")).verdict).toBe("failed");
    expect(log).toMatch(/^::error title=/m);
  });

  test("registers the build with a CI key, and without the key does not", async () => {
    const listRegistered = async () =>
      (await service.get("/api/v1/builds/ember?registration=registered")).json.items.map(
        ({ version }: { version: string }) => version,
      );
    const unknown = await run({ inputs: { "ci-key": `pt_ci_${"0".repeat(40)}` } });
    expect([unknown.steps.Verdict, unknown.outputs.verdict, unknown.outputs["exit-code"]]).toEqual([
      41,
      "error",
      "41",
    ]);
    expect(await listRegistered()).toEqual([]);
    const { steps, outputs, log } = await run({ inputs: { "ci-key": service.keys.ci } });
    expect([steps.Verdict, outputs.verdict]).toEqual([10, "failed"]);
    expect(log).toContain("Registered build 0.9.0 of ember.");
    expect(log).not.toContain(service.keys.ci);
    expect(await listRegistered()).toEqual(["0.9.0"]);
  });

  test("succeeds if the gate passes", async () => {
    const { failed, outputs, comments } = await run({ workspace: createTolerantWorkspace() });
    expect([failed, outputs.verdict, outputs["exit-code"]]).toEqual([false, "passed", "0"]);
    expect(comments[0]?.body).toMatch(/^### GATE PASSED: /);
  });

  test("passes its inputs to the gate", async () => {
    const workspace = createTolerantWorkspace();
    writeFileSync(join(workspace, "playtest.config.json"), "{");
    const inputs = {
      "working-directory": "game",
      config: "rules.json",
      environment: "production",
      artifact: "",
    };
    const { failed, outputs, uploads, comments } = await run({ inputs, workspace });
    expect([failed, outputs.verdict, uploads]).toEqual([false, "passed", []]);
    expect(comments[0]?.body).toContain(`\n${MARKER}\n`);
    const quiet = await run({
      inputs: { comment: "false", "on-inconclusive": "pass", environment: "staging", wait: "1s" },
    });
    expect(quiet.log).toContain("Waiting up to 1 s for build 0.9.0 of ember: at least 5 testers in staging");
    expect([quiet.failed, quiet.outputs.verdict, quiet.comments]).toEqual([false, "inconclusive", []]);
  });

  test("keeps the state of a repeated gate in the workspace", async () => {
    const workspace = createTolerantWorkspace();
    const { outputs } = await run({
      inputs: { sequential: "gate-state.json", "planned-testers": "20" },
      workspace,
    });
    const state = JSON.parse(readFileSync(join(workspace, "gate-state.json"), "utf8"));
    expect(state).toMatchObject({ plannedTesters: 20, verdict: { verdict: outputs.verdict } });
  });
});

describe("the comment", () => {
  const comment = (id: string, author: string, body: string): Comment => ({ id, author, body });

  test("of this gate is updated, also behind 100 others, and no other comment is", async () => {
    const others = [
      comment("IC_quote", "github-actions", `> ### Gate passed\n> ${MARKER}\n\nThis was the last verdict.`),
      comment("IC_inside", "github-actions", `${MARKER}\nAnother tool`),
      comment("IC_person", "a-person", `### Gate passed\n\n${MARKER}`),
      comment("IC_dev", "github-actions", "### Gate passed\n\n<!-- playtest-gate:ember:dev -->"),
      comment("IC_game", "github-actions", "### Gate passed\n\n<!-- playtest-gate:ember2:production -->"),
      ...Array.from({ length: 230 }, (_, at) =>
        comment(`IC_tool${at}`, "github-actions", `Tool ${at}\\t<!-- x -->`),
      ),
    ];
    const own = comment("IC_own", "github-actions", `### Gate passed\r\n\r\n${MARKER}\r\n`);
    const { comments, report } = await run({ comments: [...others, own] });
    expect(comments).toEqual([...others, { ...own, body: report("gate.md") }]);
    const created = await run({ comments: others });
    expect(created.comments.slice(0, -1)).toEqual(others);
    expect(created.comments.at(-1)?.body).toBe(report("gate.md"));
  });

  test("is not written without a pull request, and a token without permission only warns", async () => {
    const pushed = await run({ pullRequest: "" });
    expect([pushed.steps.Comment, pushed.comments]).toEqual([undefined, []]);
    const fork = await run({ readOnly: true, workspace: createTolerantWorkspace() });
    expect([fork.failed, fork.comments]).toEqual([false, []]);
    expect(fork.log).toMatch(/^::warning title=Playtest gate::The comment was not written/m);
  });
});

describe("an error", () => {
  test.each([
    ["no key", { PLAYTEST_KEY: "" }, {}, "3", "config"],
    ["an unreachable service", { PLAYTEST_BASE_URL: "http://127.0.0.1:9" }, {}, "51", "network"],
    ["a build without sessions", {}, { build: "9.9.9" }, "44", "not_found"],
    ["a build that looks like a flag", {}, { build: "--json" }, "44", "not_found"],
  ])(
    "is written to the outputs, the reports and the comment: %s",
    async (_what, env, inputs, exit, error) => {
      const before = { id: "IC_1", author: "github-actions", body: `### Gate passed\n\n${MARKER}` };
      const ran = await run({ env, inputs, comments: [before] });
      expect([ran.failed, ran.outputs.verdict, ran.outputs.error]).toEqual([true, "error", error]);
      expect([ran.outputs["exit-code"], ran.steps.Verdict]).toEqual([exit, Number(exit)]);
      expect(ran.comments).toEqual([{ ...before, body: ran.report("gate.md") }]);
      expect(ran.comments[0]?.body).toMatch(/^### Gate error: /);
      expect(ran.report("gate.xml")).toContain("<error message=");
      expect(ran.uploads).toHaveLength(1);
    },
  );

  test("a script in an input is not run", async () => {
    const { workspace, outputs } = await run({
      inputs: { build: '$(touch pwned)`touch pwned`"; touch pwned; "', game: "';touch pwned;'" },
    });
    expect(() => readFileSync(join(workspace, "pwned"))).toThrow();
    expect(outputs.verdict).toBe("error");
  });
});

describe("the build", () => {
  test.each([
    ["v0.9.0", "0.9.0"],
    ["vanilla-2", "vanilla-2"],
  ])("is the tag that the workflow runs for: %s", async (tag, build) => {
    const env = { GITHUB_REF_TYPE: "tag", GITHUB_REF_NAME: tag };
    const { outputs } = await run({ inputs: { build: "" }, env, pullRequest: "" });
    expect(outputs.build).toBe(build);
  });

  test("is required otherwise", async () => {
    const { failed, steps, outputs, log } = await run({ inputs: { build: "" } });
    expect([failed, steps.Gate, outputs.verdict, outputs["exit-code"]]).toEqual([true, 2, "error", "2"]);
    expect(log).toContain("::error title=Playtest gate::Set the input build");
  });
});

test("runs from a tarball without a registry, in few files and little space", async () => {
  const workspace = join(await createTempFolder(), "workspace");
  mkdirSync(workspace);
  const { file } = await pack();
  const env = { npm_config_registry: "http://127.0.0.1:9" };
  const { outputs, steps } = await run({ workspace, npm: true, env, inputs: { package: file } });
  expect([steps["Install playtest"], outputs.verdict]).toEqual([0, "failed"]);
  const folder = join(workspace, "..", "runner-temp", "playtest-gate");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  expect(files.length).toBeLessThanOrEqual(150);
  const bytes = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(8_000_000);
});

test("without a registry, says so and names the way out", async () => {
  const env = { npm_config_registry: "http://127.0.0.1:9" };
  const { failed, steps, log } = await run({ npm: true, env });
  expect([failed, steps["Install playtest"]]).toEqual([true, 2]);
  expect(log).toContain("The registry did not return playtest@0.1.0. Commit a tarball from npm pack");
});
