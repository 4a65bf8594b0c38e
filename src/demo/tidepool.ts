/** Generates the sessions of Tidepool: levels started, failed, solved or given up, without positions. */
import { EVENTS } from "../shared/event-names.ts";
import { SOURCES } from "../shared/session-sources.ts";
import type { DemoSession } from "./bodies.ts";
import { type DemoTester, planSessions, type SessionPlan } from "./plan-sessions.ts";
import type { Random } from "./random.ts";
import { Recorder, type Recording } from "./recorder.ts";

/** All planned sessions. Their events are generated when `play` is called. */
export function tidepoolSessions(): DemoSession[] {
  return planSessions({
    slug: "tidepool",
    name: "Tidepool",
    source: SOURCES.godot,
    testers: tidepoolTesters,
    plans: tidepoolPlans,
    engineVersion: () => "4.3.stable",
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

interface TidepoolLevel {
  /** The room name in events. */
  readonly room: string;
  /** Typical time of a solution in seconds. */
  readonly parSec: number;
}

/** In order. */
const tidepoolLevels: readonly TidepoolLevel[] = [
  { room: "01-shallows", parSec: 35 },
  { room: "02-first-shell", parSec: 50 },
  { room: "03-limpets", parSec: 70 },
  { room: "04-anemone", parSec: 90 },
  { room: "05-undertow", parSec: 110 },
  { room: "06-kelp-locks", parSec: 150 },
  { room: "07-moon-gate", parSec: 130 },
  { room: "08-low-tide", parSec: 160 },
];

const tidepoolTesters: readonly DemoTester[] = [
  { key: "greta", handle: "greta.sol", platform: "macos", country: "DE" },
  { key: "koji", platform: "windows", country: "JP" },
  { key: "beatriz", handle: "bia", platform: "windows", country: "BR" },
  { key: "olive", handle: "olive_reads", platform: "linux", country: "US" },
  { key: "remy", platform: "macos", country: "FR" },
  { key: "tuva", platform: "windows", country: "NO" },
];

interface TidepoolPlan extends SessionPlan {
  readonly build: "1.1.0" | "1.2.0";
  /** The first and the last level of the session, counted from 1. */
  readonly levels: readonly [number, number];
  /** Failures by level, counted from 1. Other levels have none. */
  readonly fails?: Readonly<Record<number, number>>;
  /** Set if the player gives up in the last level. */
  readonly quits?: true;
}

/** Oldest first. */
const tidepoolPlans: readonly TidepoolPlan[] = [
  { build: "1.1.0", tester: "greta", daysAgo: 18.31, levels: [1, 6], fails: { 4: 1, 6: 6 }, quits: true },
  { build: "1.1.0", tester: "koji", daysAgo: 17.16, levels: [1, 5], fails: { 3: 1, 5: 2 } },
  { build: "1.1.0", tester: "beatriz", daysAgo: 15.63, levels: [1, 6], fails: { 6: 5 }, quits: true },
  { build: "1.1.0", tester: "koji", daysAgo: 14.49, levels: [6, 7], fails: { 6: 7 } },
  { build: "1.1.0", tester: "olive", daysAgo: 13.68, levels: [1, 4], fails: { 4: 1 } },
  { build: "1.1.0", tester: "remy", daysAgo: 12.14, levels: [1, 6], fails: { 5: 1, 6: 5 } },
  { build: "1.2.0", tester: "greta", daysAgo: 6.61, levels: [5, 8], fails: { 6: 2, 7: 1 } },
  { build: "1.2.0", tester: "tuva", daysAgo: 5.38, levels: [1, 6], fails: { 4: 2, 6: 1 } },
  { build: "1.2.0", tester: "olive", daysAgo: 3.52, levels: [4, 8], fails: { 7: 2, 8: 5 }, quits: true },
  { build: "1.2.0", tester: "remy", daysAgo: 2.07, levels: [6, 8], fails: { 6: 1, 8: 1 } },
];
