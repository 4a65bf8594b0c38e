/** What each scripted run must do, as findings of the gate: exit with code 0, send telemetry and meet the expectations. */
import type { LimitFinding } from "../../../gate/verdict.ts";
import { formatDuration } from "../../../render/time.ts";
import type { TesterFacts } from "../../../scorecard/facts.ts";
import {
  checkExpectation,
  checkMetric,
  type Expectation,
  measureExpected,
} from "../telemetry/expectations.ts";
import type { GameRun } from "./run-game.ts";
import type { RunTelemetry } from "./run-sessions.ts";

interface RunResults {
  readonly runs: readonly GameRun[];
  readonly counts: RunTelemetry["counts"];
  /** What the runs did, without their numbers. */
  readonly testers: readonly TesterFacts[];
  readonly expectations: readonly Expectation[];
  /** How many runs may fail a check. */
  readonly maxFailed: number;
}

/** How a run fails a check; `isUnknown` if it may have met it. */
interface Failure {
  readonly text: string;
  /** Null if it is not known which run failed. */
  readonly run: number | null;
  readonly isUnknown?: boolean;
}

/** One finding for the exit codes, one for the sessions, and one for each expectation. */
export function checkRuns(results: RunResults): LimitFinding[] {
  const { runs, counts, expectations, maxFailed } = results;
  const exits = runs.map((run, at) => inRun(at, describeFailedExit(run)));
  const silent = counts.map((one, at) => inRun(at, one === null ? "sent nothing" : null));
  return [
    toFinding("run:exit", "exit code 0", exits, maxFailed),
    toFinding("run:telemetry", "a session", silent, maxFailed),
    ...expectations.map((expectation) =>
      toFinding(
        `expect:${expectation.event}`,
        expectation.expected,
        expectation.isMetric ? checkMetrics(expectation, results) : checkEvents(expectation, results),
        maxFailed,
      ),
    ),
  ];
}

/** How a run failed; null if it ended by itself with exit code 0. */
export function describeFailedExit({ code, signal, timedOut, duration }: GameRun): string | null {
  if (timedOut) return `still running after ${formatDuration(duration / 1000)}`;
  if (signal !== null) return `ended by ${signal}`;
  return code === 0 ? null : `exit code ${code}`;
}

const inRun = (at: number, text: string | null, isUnknown = false): Failure | null =>
  text === null ? null : { text, run: at + 1, isUnknown };

function checkEvents(expectation: Expectation, { counts }: RunResults): (Failure | null)[] {
  return counts.map((one, at) => {
    if (one === null) return inRun(at, "sent nothing");
    const { count, maxCount, met } = checkExpectation(expectation, one);
    if (met === null) return inRun(at, `${count} to ${maxCount}`, true);
    return inRun(at, met ? null : `${count}`);
  });
}

const notAnalyzed: Failure = { text: "not analyzed", run: null, isUnknown: true };

function checkMetrics(expectation: Expectation, { counts, testers }: RunResults): (Failure | null)[] {
  const silent = counts.map((one, at) => inRun(at, one === null ? "sent nothing" : null));
  const measured = testers.map((tester): Failure | null => {
    const { values } = measureExpected({ testers: [tester] }, [expectation]);
    const { count, met } = checkMetric(expectation, values);
    if (met) return null;
    const isAnalyzed = tester.sessions.some(({ analyzed }) => analyzed);
    return isAnalyzed ? { text: count === null ? "not measured" : `${count}`, run: null } : notAnalyzed;
  });
  const sent = counts.filter((one) => one !== null).length;
  // Sessions that still receive events are not reported.
  const open = Array.from({ length: Math.max(0, sent - testers.length) }, () => notAnalyzed);
  return [...measured, ...open, ...silent.filter((failure) => failure !== null)];
}

/** A check of all runs. It fails if more than `maxFailed` of them fail. */
function toFinding(
  name: string,
  expected: string,
  checked: readonly (Failure | null)[],
  maxFailed: number,
): LimitFinding {
  const total = checked.length;
  const failures = checked.filter((failure) => failure !== null);
  const certain = failures.filter(({ isUnknown }) => isUnknown !== true).length;
  const required = Math.max(0, total - maxFailed);
  const details = failures.length === 0 ? "" : ` (${describeFailures(failures)})`;
  return {
    ...{ name, status: chooseStatus(certain, failures.length, maxFailed), reason: null, interval: null },
    expected: `${expected} in ${maxFailed > 0 ? "at least " : ""}${required} of ${total} runs`,
    found: `${total - failures.length} of ${total}${details}`,
  };
}

/** How the runs failed, such as `exit code 3 in run 2, 4; ended by SIGSEGV in run 5`. */
function describeFailures(failures: readonly Failure[]): string {
  const runsByText = new Map<string, number[]>();
  for (const { text, run } of failures)
    runsByText.set(text, [...(runsByText.get(text) ?? []), ...(run === null ? [] : [run])]);
  const texts = [...runsByText].map(([text, runs]) =>
    runs.length === 0 ? text : `${text} in run ${shorten(runs).join(", ")}`,
  );
  return shorten(texts).join("; ");
}

/** The most items that a finding lists. */
const MAX_LISTED = 10;

const shorten = (items: readonly (string | number)[]): (string | number)[] =>
  items.length > MAX_LISTED ? [...items.slice(0, MAX_LISTED), "…"] : [...items];

function chooseStatus(certain: number, possible: number, maxFailed: number): LimitFinding["status"] {
  if (certain > maxFailed) return "failed";
  if (possible > maxFailed) return "unknown";
  return certain > 0 ? "warned" : "passed";
}
