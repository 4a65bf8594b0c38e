/** Looks at an open gate, and judges it if enough testers have played or its deadline has passed. */
import { viewComparison } from "../../charts/scorecard.ts";
import { MAX_GATE_WAIT_MS } from "../../contract/gates.ts";
import type { PairComparison } from "../../contract/scorecard.ts";
import { DEFAULT_MIN_ANALYZED, type GateRules, requiredTesters } from "../../gate/config.ts";
import type { GateBuild } from "../../gate/gate-input.ts";
import { judge, toScorecardOptions } from "../../gate/judge.ts";
import type { GateVerdict } from "../../gate/verdict.ts";
import { describeVerdict } from "../../render/gate/message.ts";
import { listCauses, summarizeGate } from "../../render/gate/summary.ts";
import type { GroupScope } from "../../scorecard/build-scorecard.ts";
import { describeSkipped } from "../../shared/build-words.ts";
import { MINUTE_MS } from "../../shared/time-units.ts";
import { readFactsScope } from "../builds/facts-queries.ts";
import { findComparedBefore, findLastBuilds, MAX_BUILDS_BEFORE } from "../builds/order-queries.ts";
import { type ScoredPair, scoreBuilds } from "../builds/score-builds.ts";
import type { Db, GateRow } from "../db/schema.ts";
import type { Task } from "../db/service.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import type { CommitState, GateMessage } from "../notifications/events.ts";
import { readRules } from "./gate-queries.ts";

/** What a decided gate says. */
export interface GateOutcome {
  /** The build that b was compared with; `previous` if there is none. */
  readonly a: string;
  readonly state: GateVerdict["verdict"];
  readonly answer: string;
  readonly status: CommitState;
  readonly message: GateMessage;
}

interface GateLook {
  /** Testers of b with a session that has ended. */
  readonly testers: number;
  /** How many analyzed sessions of b were judged last; -1 if none were. */
  readonly judgedSessions: number;
  /** Null if the gate still waits. */
  readonly outcome: GateOutcome | null;
}

interface GateInput {
  readonly gate: GateRow;
  /** Unix ms. */
  readonly now: number;
}

/** Looks at a gate in the background. */
export const lookAtGateTask: Task<GateInput, GateLook> = {
  name: "look at gate",
  lane: "background",
  maxMs: MINUTE_MS,
  run: ({ store }, input) => store.read((db) => lookAtGate(db, input)),
};

/** Whether the time to wait is over. A deadline that no request can set is that of a clock that was set back. */
const isOver = ({ deadline }: GateRow, now: number) => now >= deadline || deadline > now + MAX_GATE_WAIT_MS;

async function lookAtGate(db: Db, input: GateInput): Promise<GateLook> {
  const { gate, now } = input;
  const { game_id: gameId, b: version, environment } = gate;
  const { sessions, total: testers } = await readFactsScope(db, { gameId, version, environment }, now);
  const rules = readRules(gate);
  const hasEnough = testers >= requiredTesters(rules) && isAnalyzed(sessions, rules);
  const isNews = sessions.analyzed !== gate.judged_sessions;
  if (!isOver(gate, now) && !(hasEnough && isNews))
    return { testers, judgedSessions: gate.judged_sessions, outcome: null };
  const { outcome, isDecisive } = await judgeGate(db, input);
  const isDecided = isDecisive || isOver(gate, now);
  return { testers, judgedSessions: sessions.analyzed, outcome: isDecided ? outcome : null };
}

/** Whether as many of the sessions are analyzed as the gate needs to pass. */
function isAnalyzed(
  { analyzed, unanalyzed, failed }: GroupScope["sessions"],
  { minAnalyzed = DEFAULT_MIN_ANALYZED }: GateRules,
): boolean {
  return 100 * analyzed >= minAnalyzed * (analyzed + unanalyzed + failed);
}

interface JudgedGate {
  readonly outcome: GateOutcome;
  /** Whether there is enough data. It depends only on counts, so that looking repeatedly adds no false alarms. */
  readonly isDecisive: boolean;
}

/** A gate that ends without a verdict. `title` is what the answer begins with. */
export function describeUndecided(gate: GateRow, title: string, reason: string): GateOutcome {
  const { a, b, environment } = gate;
  const answer = `${title}: ${reason}`;
  return {
    ...{ a, state: "inconclusive", answer, status: passesUndecided(readRules(gate)) ? "success" : "failure" },
    message: {
      data: { environment, verdict: "inconclusive", reasons: [reason], a, b, failed: [] },
      ...{ title: answer, lines: [`Environment: ${environment}`], command: null, tone: "neutral" },
    },
  };
}

const passesUndecided = ({ onInconclusive }: GateRules) =>
  onInconclusive === "warn" || onInconclusive === "pass";

async function judgeGate(db: Db, input: GateInput): Promise<JudgedGate> {
  const { gate, now } = input;
  const rules: GateRules = readRules(gate);
  const { game_id: gameId, environment, b } = gate;
  const game = await requireGame(db, gate.account_id, gameId);
  const before = await findBaseline(db, input, requiredTesters(rules));
  if (before === null || before.version === b) {
    const reason = `there is no build before ${b} to compare it with`;
    return { outcome: describeUndecided(gate, "NOT ENOUGH DATA", reason), isDecisive: false };
  }
  const pair = { gameId, environment, a: before.version, b };
  const full = await judgePair(db, { pair, game: toGame(game), rules, notes: before.notes, now });
  const { verdict: state, detection } = full;
  const verdict = hideWords(full);
  const isPassed = state === "passed" || (state === "inconclusive" && passesUndecided(rules));
  return {
    isDecisive: detection?.sufficient ?? full.judged > 0,
    outcome: {
      ...{ a: pair.a, state, answer: summarize(verdict), status: isPassed ? "success" : "failure" },
      message: describeVerdict(verdict),
    },
  };
}

/** The most causes that an answer names. */
const MAX_CAUSES = 3;

/** The answer in one line, with the first causes. */
function summarize(verdict: GateVerdict): string {
  const { answer } = summarizeGate(verdict);
  const causes = listCauses(verdict);
  const rest = causes.length - MAX_CAUSES;
  const named = [...causes.slice(0, MAX_CAUSES), ...(rest > 0 ? [`${rest} more`] : [])];
  return named.length === 0 ? answer : `${answer}: ${named.join(", ")}`;
}

const REPORTED = "bug-report:";

/** Replaces the rows about bug reports, whose ids and titles are made of the words of testers, by what they are. */
function hideWords(verdict: GateVerdict): GateVerdict {
  const reported = verdict.checks.filter(({ id }) => id.startsWith(REPORTED));
  const clean = (text: string) =>
    reported.reduce((shown, { id }) => shown.replaceAll(id, "a reported bug"), text);
  return {
    ...verdict,
    reasons: verdict.reasons.map(clean),
    notes: verdict.notes.map(clean),
    checks: verdict.checks.map((check) =>
      check.id.startsWith(REPORTED)
        ? { ...check, id: "bug-report", metric: "friction:bug-report", title: "A reported bug" }
        : check,
    ),
  };
}

/** The build to compare with; null if `previous` names none. */
async function findBaseline(db: Db, { gate, now }: GateInput, minTesters: number) {
  const { game_id: gameId, environment, a, b } = gate;
  if (a !== "previous") return { version: a, notes: [] };
  const scope = { gameId, environment, now, minTesters };
  const builds = await findLastBuilds(db, scope, MAX_BUILDS_BEFORE);
  const before = await findComparedBefore(db, scope, builds, b);
  if (before === null) return null;
  const note = describeSkipped(before, minTesters);
  return { version: before.version, notes: note === null ? [] : [note] };
}

interface JudgedPair {
  readonly pair: ScoredPair;
  readonly game: PairComparison["game"];
  readonly rules: GateRules;
  readonly notes: readonly string[];
  readonly now: number;
}

/** Judges two builds as `playtest gate` does. */
async function judgePair(db: Db, { pair, game, rules, notes, now }: JudgedPair): Promise<GateVerdict> {
  const options = toScorecardOptions(rules);
  const { groups, scorecard, compared } = await scoreBuilds(db, { now: () => now }, pair, options);
  const { testersInBatch, changes, evidence } = compared;
  const { environment } = pair;
  const view = viewComparison(
    {
      ...{ game, environment, scorecard, changes, evidence },
      a: { version: pair.a, testers: testersInBatch.a },
      b: { version: pair.b, testers: testersInBatch.b },
    },
    options.newRooms,
  );
  const toBuild = (side: "a" | "b"): GateBuild => ({
    ...{ ...view[side], testers: scorecard[side].testers },
    ...{ facts: groups[side].group, stats: null },
  });
  // Without sessions as evidence: events must contain nothing that belongs to a tester.
  return judge({
    ...{ game: game.slug, environment, a: toBuild("a"), b: toBuild("b"), rows: view.rows },
    ...{ scorecard: view.scorecard, notes: [...notes, ...view.notes], config: rules, now },
  });
}
