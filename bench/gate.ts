/**
 * The gate by simulation: how often two equal builds fail it, and how often a tag that truly goes from none of the
 * testers to 40 % is caught, by the size of the builds and how common the other tags are. A fixed seed.
 */

import { diffTags, type GateBuild } from "../src/gate/build-comparison.ts";
import { judge } from "../src/gate/judge.ts";

const TESTERS = [5, 10, 20, 50];
const TAGS = 20;
/** Base rates of the tags of equal builds, evenly from the least to the most. */
const [LEAST_RATE, MOST_RATE] = [0.02, 0.4];
/** What the tag that is to be caught grows to, from 0. */
const TRUE_RATE = 0.4;
/** Base rates of the other tags, for the curve. */
const CURVE = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5];
const CAUGHT = "difficulty-spike:caught";

/** Numbers from 0 to 1 of a seed: mulberry32, by Tommy Ettinger. */
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

function side(version: string, testers: number, rates: ReadonlyMap<string, number>): GateBuild {
  const byTag = new Map<string, { testers: number; insights: number }>();
  for (const [tag, rate] of rates) {
    let met = 0;
    for (let tester = 0; tester < testers; tester += 1) if (next() < rate) met += 1;
    if (met > 0) byTag.set(tag, { testers: met, insights: met });
  }
  return { version, testers, sessions: testers, byTag, stats: null };
}

/** Judges two drawn builds by the gate as it stands, its rules the defaults. */
function verdictOf(testers: number, a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>) {
  const [from, to] = [side("a", testers, a), side("b", testers, b)];
  const changes = diffTags(from, to);
  return judge({ game: "g", environment: "production", a: from, b: to, changes, config: {}, now: 0 });
}

function equalRates(): Map<string, number> {
  const step = (MOST_RATE - LEAST_RATE) / (TAGS - 1);
  return new Map(Array.from({ length: TAGS }, (_, at) => [`stuck-point:${at}`, LEAST_RATE + step * at]));
}

/** Whether the tag that truly grew fails the gate among others of a base rate that did not. */
function isCaught(testers: number, base: number): boolean {
  const others = Array.from({ length: TAGS - 1 }, (_, at) => [`stuck-point:${at}`, base] as const);
  const verdict = verdictOf(testers, new Map(others), new Map([...others, [CAUGHT, TRUE_RATE]]));
  return verdict.findings.some(({ tag, status }) => tag === CAUGHT && status === "failed");
}

function percentOf(runs: number, happens: () => boolean): string {
  let count = 0;
  for (let run = 0; run < runs; run += 1) if (happens()) count += 1;
  return ((count / runs) * 100).toFixed(1);
}

/** Prints both tables; the figures of the docs are of the long form. */
export async function benchGate(quick: boolean): Promise<void> {
  const runs = quick ? 1000 : 20_000;
  const rates = equalRates();
  console.log(`\nGate: ${runs} runs a figure, ${TAGS} tags, percent`);
  console.log(
    `testers  equal builds fail  caught at base rates ${CURVE.map((rate) => `${rate * 100}%`).join(", ")}`,
  );
  for (const testers of TESTERS) {
    const alarms = percentOf(runs, () => verdictOf(testers, rates, rates).verdict === "failed");
    const caught = CURVE.map((base) => percentOf(runs, () => isCaught(testers, base)));
    console.log(
      `${String(testers).padStart(7)}  ${alarms.padStart(17)}  ${caught.map((one) => one.padStart(6)).join(" ")}`,
    );
  }
}
