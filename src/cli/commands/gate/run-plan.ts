/** The flags of gate run, and what a command line requests. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { checkInput } from "../../../client/client.ts";
import * as builds from "../../../contract/builds.ts";
import { DEFAULT_MIN_TESTERS, type GateRules } from "../../../gate/config.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { duration, type FlagValues, integer, list, text, toggle } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { notifyFlag } from "../../notify.ts";
import { type Expectation, parseExpectation } from "../telemetry/expectations.ts";
import type { Baseline } from "./baseline.ts";
import { readGateQuery } from "./gate-query.ts";
import { readRules, ruleFlags } from "./rules.ts";
import { RUN_ENVIRONMENT } from "./run-sessions.ts";

const DEFAULT_RUNS = 5;

export const runFlags = {
  runs: integer("--runs <n>", `how often to run the command (default: ${DEFAULT_RUNS})`, 1, 1000),
  against: text("--against <build>", "baseline: a version, `previous` or @<file> (default: no comparison)"),
  // Not --build, which selects sessions of a build.
  buildVersion: text("--build-version <version>", "build that runs (default: the commit)"),
  save: text("--save <file>", "save the runs as a baseline, unless the gate fails"),
  expect: list("--expect <what>", "what each run must send, see `telemetry expect` (repeatable)"),
  maxFailedRuns: integer("--max-failed-runs <n>", "runs that may fail a check (default: 0)", 0, 999),
  runTimeout: duration("--run-timeout <duration>", "end a run after this long (default: 10m)"),
  temporary: toggle("--temporary", "use a service that exists only during the runs"),
  wait: duration("--wait <duration>", "wait this long for the analysis (default: 5m)"),
  report: list("--report <format[=file]>", "as for `gate` (repeatable)"),
  metrics: ruleFlags.metrics,
  onInconclusive: ruleFlags.onInconclusive,
  config: ruleFlags.config,
  notify: notifyFlag,
} as const;

export type RunFlags = FlagValues<typeof runFlags>;

const DEFAULT_RUN_TIMEOUT_MS = 10 * 60_000;
const DEFAULT_WAIT_MS = 5 * 60_000;
/** What can fail by default. */
const RUN_FAMILIES = ["crash", "friction", "quits", "performance"] as const;

export interface RunPlan {
  readonly command: readonly string[];
  readonly runCount: number;
  /** How many runs may fail a check. */
  readonly maxFailed: number;
  readonly timeoutMs: number;
  readonly waitMs: number;
  readonly expectations: readonly Expectation[];
  readonly config: GateRules;
  readonly game: string;
  readonly build: string;
  /** Null to compare the build with nothing. */
  readonly baseline: string | Baseline | null;
}

/** Checks everything that needs no run. */
export async function readPlan(
  context: Context,
  command: readonly string[],
  flags: RunFlags,
): Promise<RunPlan> {
  const { io } = context;
  const { runs = DEFAULT_RUNS, maxFailedRuns: maxFailed = 0, against } = flags;
  if (maxFailed >= runs) {
    throw fail("usage", {
      message: `--max-failed-runs ${maxFailed} must be less than --runs ${runs}`,
      hint: "Otherwise no run would have to succeed.",
    });
  }
  if (flags.temporary && against !== undefined && !against.startsWith("@")) {
    throw fail("usage", {
      message: `--against ${against} cannot be used with --temporary: a temporary service has no earlier builds`,
      hint: "Use --against @<file> with a file of --save, or remove --temporary.",
    });
  }
  if (command[0] === "") {
    throw fail("usage", {
      message: "The command of the game is empty",
      hint: 'Check the variable that names it, such as -- "$GAME" --autoplay.',
    });
  }
  const { config: file, metrics, onInconclusive } = flags;
  const rules = readRules(context, { config: file, metrics, onInconclusive, env: RUN_ENVIRONMENT });
  const expectations = flags.expect.map(parseExpectation);
  const build = await findRunBuild(io, flags.buildVersion);
  const game = await context.requireGame();
  if (flags.temporary && game.startsWith("game_")) {
    throw fail("usage", {
      message: `--temporary needs the slug of the game, and not the ID ${game}`,
      hint: "Use --game <slug>. The temporary service creates the game.",
    });
  }
  const query =
    against === undefined
      ? null
      : await readGateQuery(context, { a: against, b: build, env: RUN_ENVIRONMENT });
  if (typeof query?.a === "object" && query.a.environment !== RUN_ENVIRONMENT) {
    throw fail("config", {
      message: `The baseline was saved from ${query.a.environment}, but runs are in ${RUN_ENVIRONMENT}`,
      hint: "Save one with `playtest gate run --save <file>`.",
    });
  }
  checkInput(builds.compareBuilds, { game, a: build, b: build, env: RUN_ENVIRONMENT });
  return {
    ...{ command, runCount: runs, maxFailed, expectations, game, build, baseline: query?.a ?? null },
    timeoutMs: flags.runTimeout ?? DEFAULT_RUN_TIMEOUT_MS,
    waitMs: flags.wait ?? DEFAULT_WAIT_MS,
    config: {
      ...rules,
      families: rules.families ?? [...RUN_FAMILIES],
      minTesters: rules.minTesters ?? Math.min(DEFAULT_MIN_TESTERS, runs - maxFailed),
    },
  };
}

const COMMIT_LENGTH = 12;

/** Finds the version of the build. Throws `usage` outside of a working copy. */
async function findRunBuild({ env, cwd }: Io, given: string | undefined): Promise<string> {
  const named = given ?? env.PLAYTEST_BUILD;
  if (named) return named;
  const commit = env.GITHUB_SHA || env.CI_COMMIT_SHA || env.GIT_COMMIT;
  if (commit) return commit.slice(0, COMMIT_LENGTH);
  // Two different states of the files must not count as one build.
  const args = ["describe", "--always", "--dirty", `--abbrev=${COMMIT_LENGTH}`, "--exclude=*"];
  const { stdout } = await promisify(execFile)("git", args, { cwd }).catch(() => ({ stdout: "" }));
  if (stdout.trim() !== "") return stdout.trim();
  throw fail("usage", {
    message: `No build specified, and ${cwd} is not a Git working copy`,
    hint: "Use --build-version or PLAYTEST_BUILD.",
  });
}
