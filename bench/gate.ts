/**
 * Simulates the gate with a fixed seed: how often two equal builds fail it, and how often it detects a tag that increases
 * from 0 to 40% of testers, by the number of testers and the base rate of the other tags.
 */

import { diffTags, type GateBuild } from "../src/gate/build-comparison.ts";
import { judge } from "../src/gate/judge.ts";

const TESTERS = [5, 10, 20, 50];
const TAGS = 20;
/** Base rates of the tags of equal builds, evenly spaced. */
const [MIN_RATE, MAX_RATE] = [0.02, 0.4];
/** The rate to which the tag increases, from 0. */
const TRUE_RATE = 0.4;
/** Base rates of the other tags, for the detection curve. */
const CURVE = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5];
const INCREASED_TAG = "difficulty-spike:caught";

/** Creates a seeded generator of numbers in [0, 1): mulberry32, by Tommy Ettinger. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const next = random(20_261_121);

function drawBuild(version: string, testers: number, rates: ReadonlyMap<string, number>): GateBuild {
  const byTag = new Map<string, { testers: number; insights: number }>();
  for (const [tag, rate] of rates) {
    let affected = 0;
    for (let tester = 0; tester < testers; tester += 1) if (next() < rate) affected += 1;
    if (affected > 0) byTag.set(tag, { testers: affected, insights: affected });
  }
  return { version, testers, sessions: testers, byTag, stats: null, exposure: null, analysisVersions: null };
}

/** Draws two builds, and judges them with the default rules of the gate. */
function judgeDrawnBuilds(testers: number, a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>) {
  const [from, to] = [drawBuild("a", testers, a), drawBuild("b", testers, b)];
  const changes = diffTags(from, to);
  return judge({ game: "g", environment: "production", a: from, b: to, changes, config: {}, now: 0 });
}

function equalRates(): Map<string, number> {
  const step = (MAX_RATE - MIN_RATE) / (TAGS - 1);
  return new Map(Array.from({ length: TAGS }, (_, at) => [`stuck-point:${at}`, MIN_RATE + step * at]));
}

/** Whether the increased tag fails the gate, among other tags whose rate is unchanged. */
function isDetected(testers: number, base: number): boolean {
  const others = Array.from({ length: TAGS - 1 }, (_, at) => [`stuck-point:${at}`, base] as const);
  const verdict = judgeDrawnBuilds(
    testers,
    new Map(others),
    new Map([...others, [INCREASED_TAG, TRUE_RATE]]),
  );
  return verdict.findings.some(({ tag, status }) => tag === INCREASED_TAG && status === "failed");
}

function measurePercentage(runs: number, happens: () => boolean): string {
  let count = 0;
  for (let run = 0; run < runs; run += 1) if (happens()) count += 1;
  return ((count / runs) * 100).toFixed(1);
}

/** Prints both tables. The figures in the docs come from a run without `--quick`. */
export async function benchGate(quick: boolean): Promise<void> {
  const runs = quick ? 1000 : 20_000;
  const rates = equalRates();
  console.log(`\nGate: percentage of ${runs} runs, with ${TAGS} tags`);
  console.log(
    `testers  equal builds fail  detected at base rates ${CURVE.map((rate) => `${rate * 100}%`).join(", ")}`,
  );
  for (const testers of TESTERS) {
    const alarms = measurePercentage(
      runs,
      () => judgeDrawnBuilds(testers, rates, rates).verdict === "failed",
    );
    const detected = CURVE.map((base) => measurePercentage(runs, () => isDetected(testers, base)));
    console.log(
      `${String(testers).padStart(7)}  ${alarms.padStart(17)}  ${detected.map((one) => one.padStart(6)).join(" ")}`,
    );
  }
}
