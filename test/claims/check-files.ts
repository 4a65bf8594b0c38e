/**
 * `npm run check:claims -- <file.ndjson.gz>...`: analyzes recorded sessions and checks every claim of every insight. Prints a
 * line for each false claim and a total, and exits with 1 if any claim is false. `generated` and `generated:<seed>` mean generated play,
 * `demo` for the demo studio.
 */
import { basename } from "node:path";
import { demoTelemetry } from "../../src/demo/index.ts";
import { analyzePlay } from "./analyzed-play.ts";
import { checkPlay } from "./check-play.ts";
import { type PlayBody, readRecording } from "./recording.ts";
import { generatePlay } from "./synthetic-play.ts";

const DEFAULT_SEED = 18;
const SESSIONS_PER_GAME = 24;

function readPlay(source: string): PlayBody[] {
  if (source === "demo") return [...demoTelemetry(Date.UTC(2026, 2, 14, 15))];
  const [, seed] = /^generated(?::(\d+))?$/.exec(source) ?? [source, null];
  if (seed === null) return readRecording(source);
  return generatePlay(SESSIONS_PER_GAME, Number(seed ?? DEFAULT_SEED));
}

async function main(sources: readonly string[]): Promise<number> {
  if (sources.length === 0) {
    console.error("Usage: npm run check:claims -- <file.ndjson.gz>...");
    return 2;
  }
  const totals = { claims: 0, falsehoods: 0 };
  for (const source of sources) {
    const { sessions, insights, claims, falsehoods } = checkPlay(await analyzePlay(readPlay(source)));
    for (const falsehood of falsehoods) console.log(`${basename(source)} ${falsehood}`);
    const types = [...insights].map(([type, count]) => `${count} ${type}`).join(", ");
    console.log(
      `${basename(source)}: ${sessions} sessions; ${types}; ${claims} claims, ${falsehoods.length} false`,
    );
    totals.claims += claims;
    totals.falsehoods += falsehoods.length;
  }
  console.log(`Total: ${totals.claims} claims, ${totals.falsehoods} false`);
  return totals.falsehoods > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
