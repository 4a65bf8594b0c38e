/** Draws how builds are played: testers, their sessions, and the friction tags of each session. */
import type { SessionHistory, TesterHistory } from "../../src/contract/play-history.ts";
import type { GateBuild } from "../../src/gate/build-comparison.ts";

/** How a build is played. */
export interface SimulatedBuild {
  readonly testers: number;
  /** Draws the number of sessions of one tester. */
  readonly sessions: (random: () => number) => number;
  /** The share of sessions with each tag, 0 to 1. */
  readonly rates: readonly number[];
  /** Mean active time of a session, relative to 1. Default: 1. */
  readonly playTime?: number;
  /** Standard deviation of the logarithm of the active time. Default: 0.5. */
  readonly spread?: number;
  /** Whether the rates apply per unit of active time instead of per session. */
  readonly isPerMinute?: boolean;
  /** A room in which every session spends a fifth of its time, and which is the room of the last tag. */
  readonly room?: string;
  /** Sessions that meet the last tag stay in the room until their whole time is multiplied by this. Default: 1. */
  readonly wallTime?: number;
  /** Whether the sessions have no device id. */
  readonly isAnonymous?: boolean;
  /** Mean number of bug reports per session. Default: 0.3. */
  readonly bugs?: number;
}

/** Tags with rates from 5% to 40% of sessions, evenly spaced. */
export const TAG_RATES = Array.from({ length: 20 }, (_, at) => 0.05 + (0.35 * at) / 19);

const MEAN_SECONDS = 600;
/** The share of the usual time that a session spends outside the room. */
const OUTSIDE_SHARE = 0.8;

export const always = (count: number) => () => count;

/** The whole number below or above `mean`, so that it is the mean of all. */
export const around = (mean: number) => (random: () => number) =>
  Math.floor(mean) + (random() < mean % 1 ? 1 : 0);

/** The number of trials until the first success: geometric with this mean, at most 20. */
export const geometric = (mean: number) => (random: () => number) => {
  let count = 1;
  while (count < 20 && random() > 1 / mean) count += 1;
  return count;
};

/** Draws the testers of a build. */
export function drawTesters(build: SimulatedBuild, random: () => number): TesterHistory[] {
  return Array.from({ length: build.testers }, () => drawTester(build, random)).flat();
}

function drawTester(build: SimulatedBuild, random: () => number): TesterHistory[] {
  // Some testers play longer and encounter more bugs in all of their sessions.
  const habit = drawNormal(random);
  const sessions = Array.from({ length: build.sessions(random) }, () => drawSession(build, habit, random));
  if (!build.isAnonymous) return [{ anonymous: false, sessions }];
  return sessions.map((session) => ({ anonymous: true, sessions: [session] }));
}

function drawSession(build: SimulatedBuild, habit: number, random: () => number): SessionHistory {
  const { playTime = 1, spread = 0.5, bugs = 0.3, rates, isPerMinute = false } = build;
  const deviation = (habit + drawNormal(random)) / Math.SQRT2;
  const time = playTime * Math.exp(spread * deviation - spread ** 2 / 2);
  const tags: string[] = [];
  for (const [at, rate] of rates.entries())
    if (random() < (isPerMinute ? 1 - (1 - rate) ** time : rate)) tags.push(`confusion:tag-${at}`);
  const usualSec = Math.round(MEAN_SECONDS * time);
  const { room, wallTime = 1 } = build;
  const activeSec = usualSec * (tags.includes(`confusion:${room}`) ? wallTime : 1);
  const inRoom = activeSec - usualSec * OUTSIDE_SHARE;
  const rooms = room === undefined ? [] : [{ room, activeSec: inRoom }];
  const wallSec = Math.round(activeSec / (0.6 + 0.4 * random()));
  return { activeSec, wallSec, bugReports: drawCount(bugs * Math.exp(habit / 2), random), rooms, tags };
}

/** An approximately normal variable: the sum of 12 uniform ones. */
function drawNormal(random: () => number): number {
  let sum = -6;
  for (let at = 0; at < 12; at += 1) sum += random();
  return sum;
}

/** A Poisson variable (D. E. Knuth, "The Art of Computer Programming", volume 2, 3.4.1). */
function drawCount(mean: number, random: () => number): number {
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}

/** The build as a service reports it. */
export function toBuild(version: string, history: readonly TesterHistory[]): GateBuild {
  const byTag = new Map<string, { testers: number; insights: number }>();
  for (const { sessions } of history) {
    for (const tag of new Set(sessions.flatMap(({ tags }) => tags))) {
      const { testers, insights } = byTag.get(tag) ?? { testers: 0, insights: 0 };
      byTag.set(tag, { testers: testers + 1, insights: insights + 1 });
    }
  }
  const sessions = history.reduce((sum, tester) => sum + tester.sessions.length, 0);
  return {
    version,
    testers: history.length,
    sessions,
    byTag,
    stats: null,
    history,
    analysisVersions: [1],
  };
}
