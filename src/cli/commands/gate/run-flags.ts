/** The flags of gate run. */
import { duration, type FlagValues, integer, list, text, toggle } from "../../flags.ts";
import { notifyFlag } from "../../notify.ts";
import { ruleFlags } from "./rules.ts";

export const DEFAULT_RUNS = 5;

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
