/** Generates the sessions of Tidepool: levels started, failed, solved or given up, without positions. */
import { EVENTS } from "../shared/event-names.ts";
import { SOURCES } from "../shared/session-sources.ts";
import type { DemoSession } from "./bodies.ts";
import { planSessions } from "./plan-sessions.ts";
import type { Random } from "./random.ts";
import { Recorder, type Recording } from "./recorder.ts";
import {
  type TidepoolLevel,
  type TidepoolPlan,
  tidepoolLevels,
  tidepoolPlans,
  tidepoolTesters,
} from "./tidepool-data.ts";

/** All planned sessions. Their events are generated when `play` is called. */
export function tidepoolSessions(): DemoSession[] {
  return planSessions({
    slug: "tidepool",
    name: "Tidepool",
    source: SOURCES.godot,
    testers: tidepoolTesters,
    plans: tidepoolPlans,
    engineVersion: () => "4.3.stable",
    startsFrom: (plan) => `level ${plan.levels[0]}`,
    play: (plan, _tester, random) => play(plan, random),
  });
}

function play(plan: TidepoolPlan, random: Random): Recording {
  const recorder = new Recorder({ fails: 0, hints: 0, solved: 0 });
  const [first, last] = plan.levels;
  for (const [offset, level] of tidepoolLevels.slice(first - 1, last).entries()) {
    const number = first + offset;
    startLevel(level, number, recorder, random);
    for (let fail = 0; fail < (plan.fails?.[number] ?? 0); fail++) {
      failLevel(level, fail, recorder, random);
    }
    if (number === last && plan.quits) giveUpLevel(level, recorder, random);
    else solveLevel(level, recorder, random);
  }
  recorder.advance(random.int(1_000, 6_000));
  recorder.addSummary();
  return { events: recorder.events, ended: true };
}

function startLevel(level: TidepoolLevel, number: number, recorder: Recorder, random: Random): void {
  recorder.advance(random.int(1_500, 5_000));
  recorder.room = level.room;
  recorder.add("level_started", { room: level.room, level: number });
}

/** One failed attempt. From the third one on, players may use a hint. */
function failLevel(
  { room, parSec }: TidepoolLevel,
  previousFails: number,
  recorder: Recorder,
  random: Random,
): void {
  recorder.advance(parSec * random.between(300, 800));
  if (previousFails >= 2 && random.chance(0.6)) {
    recorder.count("hints");
    recorder.add("hint_used", { room });
    recorder.advance(random.int(4_000, 15_000));
  }
  recorder.count("fails");
  recorder.add(EVENTS.levelFailed, { room, moves: random.int(6, 40) });
  recorder.advance(random.int(800, 2_500));
}

function solveLevel({ room, parSec }: TidepoolLevel, recorder: Recorder, random: Random): void {
  const ms = Math.round(parSec * random.between(700, 1_500));
  recorder.advance(ms);
  recorder.count("solved");
  recorder.add(EVENTS.levelCompleted, { room, moves: random.int(8, 45), seconds: Math.round(ms / 1000) });
}

function giveUpLevel({ room }: TidepoolLevel, recorder: Recorder, random: Random): void {
  recorder.advance(random.int(4_000, 18_000));
  recorder.add("quit", { room });
}
