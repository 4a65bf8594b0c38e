/** Runs the shell steps of the workflows in docs/ci unchanged, against the demo studio. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../harness.ts";

const root = join(import.meta.dirname, "..", "..");
const program = join(root, "bin", "playtest.js");
const workflow = (name: string) => readFileSync(join(root, "docs", "ci", name), "utf8");

/** Creates a folder with the programs that steps call: this program, and stubs of npx, npm and gh. */
function createPrograms(): string {
  const folder = join(freshFolder(), "bin");
  mkdirSync(folder);
  const scripts = {
    playtest: `exec "${process.execPath}" "${program}" "$@"`,
    npx: 'exec "$@"',
    npm: 'test "$*" = ci',
    gh: 'printf "%s\\n" "gh $*"',
  };
  for (const [name, body] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

/** Runs a step like a CI runner: bash that stops at the first error, with a demo service in its environment. */
async function runStep(script: string, env: Record<string, string>, rules?: object) {
  const cwd = freshFolder();
  if (rules) writeFileSync(join(cwd, "playtest.config.json"), JSON.stringify({ gate: rules }));
  const argv = ["server", "exec", "--demo", "--", "bash", "-eo", "pipefail", "-c", script];
  const run = await execa(process.execPath, [program, ...argv], {
    cwd,
    reject: false,
    timeout: 60_000,
    extendEnv: false,
    env: {
      PATH: `${createPrograms()}:${process.env.PATH}`,
      HOME: cwd,
      PLAYTEST_GAME: "ember",
      BUILD: "0.8.0",
      ...env,
    },
  });
  return { ...run, cwd };
}

/** Returns the scripts of all `run` keys: first the single-line ones, then the block scalars. */
function parseSteps(yaml: string): string[] {
  const blocks = [...yaml.matchAll(/^( *)(?:- )?run: \|\n((?:\1 {2,}.*\n)+)/gm)].map(
    ([, , text]) => text ?? "",
  );
  const lines = [...yaml.matchAll(/^ *(?:- )?run: (?!\|)(.+)$/gm)].map(([, text]) => text ?? "");
  return [...lines, ...blocks];
}

describe("GitHub Actions", () => {
  const [install = "", gate = "", comment = ""] = parseSteps(workflow("github-actions.yml"));

  test.each([
    ["the default rules", {}, 10, "failed"],
    ["rules that allow any increase", { maxIncreasePoints: 100 }, 0, "passed"],
  ])("exits with the code of the verdict with %s", async (_rules, rules, exit, verdict) => {
    const files = freshFolder();
    const env = {
      BASELINE: "0.9.0",
      GITHUB_STEP_SUMMARY: join(files, "summary.md"),
      GITHUB_OUTPUT: join(files, "output.txt"),
    };
    const run = await runStep(`${install}\n${gate}`, env, rules);
    expect([run.exitCode, run.stdout]).toEqual([exit, expect.stringContaining("0.8.0")]);
    expect(existsSync(join(run.cwd, "reports", "gate.xml"))).toBe(true);
    expect(readFileSync(env.GITHUB_OUTPUT, "utf8")).toContain(verdict);
    expect(readFileSync(env.GITHUB_STEP_SUMMARY, "utf8")).toContain("ember");
    expect(/^::error /m.test(run.stderr)).toBe(exit === 10);
  });

  test("adds the report as a comment", async () => {
    const run = await runStep(comment, { PULL_REQUEST: "7" });
    expect(run.stdout).toBe("gh pr comment 7 --body-file reports/gate.md --edit-last --create-if-none");
  });
});

test("GitLab CI writes its artifacts, and fails with the exit code of the gate", async () => {
  const [, block = ""] = /^ {2}script:\n((?: {4}- .*\n)+)/m.exec(workflow("gitlab-ci.yml")) ?? [];
  const script = block.replace(/^ {4}- /gm, "");
  const run = await runStep(script, { BASELINE: "0.9.0" });
  expect(run.exitCode).toBe(10);
  expect(readFileSync(join(run.cwd, "reports", "gate.xml"), "utf8")).toContain("<failure ");
  expect(JSON.parse(readFileSync(join(run.cwd, "reports", "gate.json"), "utf8")).verdict).toBe("failed");
  const few = await runStep(script, { BASELINE: "9.9.9" });
  expect(few.exitCode).toBe(44);
});

test("Jenkins writes its report, and its step has the exit code of the gate", async () => {
  const file = workflow("Jenkinsfile");
  const [, install = ""] = /sh '([^']+)'\n/.exec(file) ?? [];
  const [, gate = ""] = /script: '''([\s\S]+?)'''/.exec(file) ?? [];
  const run = await runStep(`${install}\n${gate}`, { BASELINE: "0.9.0" });
  expect(run.exitCode).toBe(10);
  expect(readFileSync(join(run.cwd, "reports", "gate.xml"), "utf8")).toContain("<failure ");
});
