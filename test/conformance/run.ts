/**
 * Checks a service of the API: `npm run conformance -- --base-url https://playtest.example.com`, with a management key in
 * PLAYTEST_KEY, and with PLAYTEST_INGEST_KEY for what an ingest key must not read. It only reads. Exits with 1 if a statement does not hold.
 */
import { parseArgs } from "node:util";
import { checkStatement, explore, type Get, type Json, statements } from "./statements.ts";

const MIN_INTERVAL_MS = 1000;
const MAX_WAIT_MS = 60_000;

const { values } = parseArgs({ options: { "base-url": { type: "string" }, fast: { type: "boolean" } } });
const base = values["base-url"]?.replace(/\/+$/, "");
const key = process.env.PLAYTEST_KEY?.trim() ?? "";
if (base === undefined || key === "") {
  console.error("Usage: PLAYTEST_KEY=pt_mgmt_... npm run conformance -- --base-url <url> [--fast]");
  console.error("--fast sends requests without pauses, for a service without a rate limit.");
  process.exit(2);
}

let last = 0;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Stays below 60 requests per minute, and waits if there were too many. */
const get: Get = async (path, given = key) => {
  for (;;) {
    if (!values.fast) await sleep(Math.max(0, last + MIN_INTERVAL_MS - Date.now()));
    last = Date.now();
    const response = await fetch(base + path, {
      headers: given === null ? {} : { authorization: `Bearer ${given}` },
      redirect: "manual",
    });
    const text = await response.text();
    let json: Json;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    if (response.status !== 429)
      return { status: response.status, headers: Object.fromEntries(response.headers), text, json };
    await sleep(Math.min(MAX_WAIT_MS, Number(json?.retryAfterMs ?? 1000)));
  }
};

const world = await explore(get, process.env.PLAYTEST_INGEST_KEY?.trim() ?? "");
const counts = { held: 0, failed: 0, skipped: 0 };
for (const statement of statements) {
  const { problem, skipped } = await checkStatement(statement, world);
  if (problem !== null) counts.failed += 1;
  else if (skipped !== null) counts.skipped += 1;
  else counts.held += 1;
  if (problem !== null)
    console.log(`✗ ${statement.id}: ${statement.says}\n    ${JSON.stringify(problem).slice(1, -1)}`);
  else if (skipped !== null) console.log(`- ${statement.id}: not checked, ${skipped}`);
}
console.log(
  `${counts.held} statements hold, ${counts.failed} do not, ${counts.skipped} could not be checked`,
);
process.exitCode = counts.failed > 0 ? 1 : 0;
