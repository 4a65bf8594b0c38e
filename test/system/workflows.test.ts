/** Runs the shell steps of the GitLab component and the examples in docs/ci unchanged, against the demo studio. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { listen } from "../../src/server/http/listen.ts";
import { startDemo } from "../cli/demo.ts";
import { program, root } from "../cli/program.ts";
import { freshFolder, type TestService } from "../harness.ts";
import { parseAction } from "./github-runner.ts";

type Texts = Readonly<Record<string, string>>;

const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");
const { version } = JSON.parse(read("package.json")) as { version: string };
const tarball = `tools/playtest-${version}.tgz`;

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

/** Creates a folder with an `npm` that installs this program instead of the tarball of this version. */
function createPrograms(): string {
  const folder = join(freshFolder(), "bin");
  mkdirSync(folder);
  const npm = `#!/bin/sh
for package; do :; done
case "$package" in *tools/playtest-${version}.tgz) ;; *) exit 1 ;; esac
test "$1 $2" = "install --prefix" || exit 1
mkdir -p "$3/node_modules/.bin" && ln -sf "${program}" "$3/node_modules/.bin/playtest"
`;
  writeFileSync(join(folder, "npm"), npm);
  chmodSync(join(folder, "npm"), 0o755);
  return folder;
}

/** Runs a script in a shell, with the service in its environment. */
async function runScript(
  shell: readonly [string, ...string[]],
  script: string,
  env: Texts = {},
  cwd = freshFolder(),
) {
  const [command, ...flags] = shell;
  const ran = await execa(command, [...flags, script], {
    cwd,
    reject: false,
    timeout: 240_000,
    extendEnv: false,
    env: {
      PATH: `${createPrograms()}:${process.env.PATH}`,
      HOME: freshFolder(),
      CI: "true",
      PLAYTEST_BASE_URL: listening.url,
      PLAYTEST_KEY: service.keys.management,
      ...env,
    },
  });
  const report = (path: string) => readFileSync(join(cwd, path), "utf8");
  return { ...ran, cwd, report };
}

/** A repository whose commit has a tag. */
async function createRepository(tag: string): Promise<string> {
  const cwd = freshFolder();
  const identity = ["-c", "user.name=x", "-c", "user.email=x@example.test", "-c", "commit.gpgsign=false"];
  await execa("git", ["init", "-q"], { cwd });
  await execa("git", [...identity, "commit", "-q", "--allow-empty", "-m", "Add the game"], { cwd });
  await execa("git", ["tag", tag], { cwd });
  return cwd;
}

const files = [
  "docs/ci/github-actions.yml",
  "docs/ci/gitlab-ci.yml",
  "docs/ci/scripted-runs.yml",
  "docs/ci/Jenkinsfile",
  "templates/gate.yml",
];

test.each(files)("%s judges the version of the pipeline and pins what it installs", (file) => {
  const content = read(file).replaceAll("ubuntu-latest", "");
  expect(content).not.toMatch(/\blatest\b/);
  for (const [, pinned] of content.matchAll(/playtest(?:\/gate)?@v?(\d\S*?)["`\s]/g))
    expect(pinned).toBe(version);
  for (const [, used = ""] of content.matchAll(/uses: (actions\/\S+)/g))
    expect(used).toMatch(/@[0-9a-f]{40}$/);
});

describe("GitHub Actions", () => {
  const workflow = parse(read("docs/ci/github-actions.yml")) as {
    jobs: Record<"build" | "gate", { steps: { id?: string; uses?: string; run?: string; with?: Texts }[] }>;
  };

  test("passes the version that it builds to the action, with inputs that the action has", () => {
    const step = workflow.jobs.gate.steps.find(({ uses }) => uses?.startsWith("studio/"));
    const { inputs } = parseAction(read("action.yml"));
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step?.with ?? {})));
    expect(step?.with?.build).toMatch(/^\$\{\{ needs\.build\.outputs\.version \}\}$/);
  });

  test("builds the version of the tag", async () => {
    const { run = "" } = workflow.jobs.build.steps.find(({ id }) => id === "version") ?? {};
    const output = join(freshFolder(), "output");
    const shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"] as const;
    await runScript([...shell], run, { GITHUB_OUTPUT: output }, await createRepository("v0.9.0"));
    expect(readFileSync(output, "utf8")).toBe("version=0.9.0\n");
  });
});

describe("the GitLab component", () => {
  interface Job {
    readonly script: readonly string[];
    readonly variables: Texts;
    readonly artifacts: { readonly reports: Texts };
    readonly cache: { readonly when: string; readonly paths: readonly string[] };
    readonly allow_failure: { readonly exit_codes: readonly number[] };
  }
  const [header, body] = parseAllDocuments(read("templates/gate.yml")).map((document) => document.toJS());
  const inputs = header.spec.inputs as Record<string, { default?: string; description: string }>;

  const required = (name: string): string => {
    throw new Error(`the input ${name} is required`);
  };

  /** The job, with its inputs filled in as GitLab does. */
  function createJob(given: Texts): Job {
    const fill = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(fill);
      if (typeof value === "object" && value !== null)
        return Object.fromEntries(Object.entries(value).map(([key, child]) => [fill(key), fill(child)]));
      if (typeof value !== "string") return value;
      return value.replace(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, name: string) => {
        const input = inputs[name];
        if (!input) throw new Error(`no input ${name}`);
        return given[name] ?? input.default ?? required(name);
      });
    };
    return (fill(body) as Record<string, Job>)[given.job ?? "playtest-gate"] as Job;
  }

  /** Runs the job in a shell like GitLab's runner, with `wait` off unless it is given. */
  async function run(given: Texts, env: Texts = {}, shell = "bash") {
    const job = createJob({ wait: "0", game: "ember", baseline: "0.8.0", package: tarball, ...given });
    const options = shell === "bash" ? "-eo" : "-e";
    const flags = shell === "bash" ? [options, "pipefail", "-c"] : [options, "-c"];
    const ran = await runScript([shell, ...flags], job.script.join("\n"), { ...job.variables, ...env });
    return { ...ran, job };
  }

  test("requires the package until the registry has it, and describes its inputs", () => {
    expect(inputs.package?.default).toBeUndefined();
    for (const { description } of Object.values(inputs)) expect(description).toMatch(/\w/);
    const example = parse(read("docs/ci/gitlab-ci.yml")) as { include: { inputs: Texts }[] };
    expect(Object.keys(inputs)).toEqual(
      expect.arrayContaining(Object.keys(example.include[0]?.inputs ?? {})),
    );
  });

  test.each(["bash", "sh"])(
    "writes its artifacts, and fails with the exit code of the gate, in %s",
    async (shell) => {
      const { exitCode, stdout, report, job } = await run({ build: "0.9.0" }, {}, shell);
      expect([exitCode, stdout]).toEqual([10, expect.stringContaining("FAILED")]);
      expect(report(job.artifacts.reports.junit ?? "")).toContain("<failure ");
      expect(JSON.parse(report("playtest-gate/gate.json")).verdict).toBe("failed");
      expect(report("playtest-gate/gate.md")).toMatch(/^### GATE FAILED: /);
    },
  );

  test("registers the build with a CI key", async () => {
    const before = await service.get("/api/v1/builds/ember?registration=registered");
    expect(before.json.items).toEqual([]);
    const { exitCode, stdout } = await run({ build: "0.9.0" }, { PLAYTEST_CI_KEY: service.keys.ci });
    expect([exitCode, stdout]).toEqual([10, expect.stringContaining("Registered build 0.9.0 of ember.")]);
  });

  test("allows the exit code of an inconclusive gate", async () => {
    const { exitCode, job } = await run({ build: "0.9.0", environment: "staging" });
    expect(job.allow_failure.exit_codes).toEqual([exitCode]);
  });

  test("keeps the state of a repeated gate where the job caches it", async () => {
    const { cwd, job } = await run({ build: "0.9.0", sequential: "true", planned_testers: "20" });
    expect(job.cache.when).toBe("always");
    const [file = "", ...others] = readdirSync(join(cwd, job.cache.paths[0] ?? ""));
    expect(others).toEqual([]);
    const state = JSON.parse(readFileSync(join(cwd, job.cache.paths[0] ?? "", file), "utf8"));
    expect(state).toMatchObject({ plannedTesters: 20, rules: { b: "0.9.0" } });
  });

  test("writes its reports if the gate ends with an error", async () => {
    const { exitCode, report, job } = await run({ build: "9.9.9" });
    expect([exitCode, report(job.artifacts.reports.junit ?? "")]).toEqual([
      44,
      expect.stringContaining("<error "),
    ]);
  });

  test.each([
    ["the input", { build: "0.9.0" }, { GAME_VERSION: "1", CI_COMMIT_TAG: "v2" }, "0.9.0"],
    ["GAME_VERSION", {}, { GAME_VERSION: "0.9.0", CI_COMMIT_TAG: "v2" }, "0.9.0"],
    ["the tag", {}, { CI_COMMIT_TAG: "v0.9.0" }, "0.9.0"],
  ])("judges the build of %s", async (_what, given, env, build) => {
    const { report } = await run(given, env);
    expect(JSON.parse(report("playtest-gate/gate.json")).b.version).toBe(build);
  });

  test("requires a build, and does not run scripts in its inputs", async () => {
    const missing = await run({});
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining("Set the input build")]);
    const { exitCode, cwd } = await run({ build: '$(touch pwned)"; touch pwned; "', game: "`touch pwned`" });
    expect([exitCode, existsSync(join(cwd, "pwned"))]).toEqual([44, false]);
  });

  test("gets the version from the job that builds the game", async () => {
    const example = parse(read("docs/ci/gitlab-ci.yml")) as Record<"build-game", Job>;
    const script = example["build-game"].script.join("\n");
    const { report } = await runScript(
      ["bash", "-eo", "pipefail", "-c"],
      script,
      {},
      await createRepository("v0.9.0"),
    );
    expect(report("version.env")).toBe("GAME_VERSION=0.9.0\n");
  });
});

describe("Jenkins", () => {
  const [, versionScript = "", gateScript = ""] =
    /returnStdout: true, script: '''([\s\S]+?)'''[\s\S]+returnStatus: true, script: '''([\s\S]+?)'''/.exec(
      read("docs/ci/Jenkinsfile"),
    ) ?? [];

  test("writes its report, and its step has the exit code of the gate", async () => {
    const built = await runScript(["sh", "-e", "-c"], versionScript, {}, await createRepository("v0.9.0"));
    expect(built.stdout.trim()).toBe("0.9.0");
    const env = {
      PLAYTEST_GAME: "ember",
      BASELINE: "0.8.0",
      GAME_VERSION: built.stdout.trim(),
      PLAYTEST_PACKAGE: tarball,
    };
    const { exitCode, report } = await runScript(
      ["sh", "-e", "-c"],
      gateScript.replace("--wait 30m", ""),
      env,
    );
    expect([exitCode, report("reports/gate.xml")]).toEqual([10, expect.stringContaining("<failure ")]);
  });
});
