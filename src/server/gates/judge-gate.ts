/** Looks at an open gate, and judges it if enough testers have played or its deadline has passed. */
import { viewComparison } from "../../charts/scorecard.ts";
import type { PairComparison } from "../../contract/scorecard.ts";
import { type GateRules, requiredTesters } from "../../gate/config.ts";
import { judgeWithEvidence } from "../../gate/evidence.ts";
import type { GateBuild } from "../../gate/gate-input.ts";
import { toScorecardOptions } from "../../gate/judge.ts";
import type { GateVerdict } from "../../gate/verdict.ts";
import { describeVerdict } from "../../render/gate/message.ts";
import { concludeGate } from "../../render/gate/summary.ts";
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

async function lookAtGate(db: Db, input: GateInput): Promise<GateLook> {
  const { gate, now } = input;
  const { game_id: gameId, b: version, environment } = gate;
  const { sessions, total: testers } = await readFactsScope(db, { gameId, version, environment }, now);
  const isReady = testers >= requiredTesters(readRules(gate)) && sessions.unanalyzed === 0;
  if (!isReady && now < gate.deadline) return { testers, outcome: null };
  return { testers, outcome: await judgeGate(db, input) };
}

async function judgeGate(db: Db, input: GateInput): Promise<GateOutcome> {
  const { gate, now } = input;
  const rules: GateRules = readRules(gate);
  const { game_id: gameId, environment, b } = gate;
  const game = await requireGame(db, gate.account_id, gameId);
  const before = await findBaseline(db, input, requiredTesters(rules));
  const passes = rules.onInconclusive === "warn" || rules.onInconclusive === "pass";
  if (before === null || before.version === b) {
    const answer = `NOT ENOUGH DATA: there is no build before ${b} to compare it with`;
    return {
      ...{ a: gate.a, state: "inconclusive", answer, status: passes ? "success" : "failure" },
      message: {
        data: { environment, verdict: "inconclusive", reasons: [answer], a: null, b, failed: [] },
        title: `${game.slug}: ${answer}`,
        ...{ lines: [`Environment: ${environment}`], command: null, tone: "neutral" },
      },
    };
  }
  const pair = { gameId, environment, a: before.version, b };
  const verdict = await judgePair(db, { pair, game: toGame(game), rules, notes: before.notes, now });
  const isPassed = verdict.verdict === "passed" || (verdict.verdict === "inconclusive" && passes);
  return {
    ...{ a: pair.a, state: verdict.verdict },
    answer: concludeGate(verdict),
    status: isPassed ? "success" : "failure",
    message: describeVerdict(verdict),
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
  return judgeWithEvidence({
    ...{ game: game.slug, environment, a: toBuild("a"), b: toBuild("b"), rows: view.rows },
    ...{ scorecard: view.scorecard, notes: [...notes, ...view.notes], config: rules, now, evidence },
  });
}
