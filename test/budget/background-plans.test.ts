/** What work in the background reads: rows of its sessions, device or room, and never all rows of a game or of the service. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { analyzeNext } from "../../src/server/analysis/analyze-next.ts";
import { findSlowSessions } from "../../src/server/analysis/room-time-queries.ts";
import { MIN_SLOW_MS } from "../../src/server/analysis/rules/stuck-point.ts";
import { prune } from "../../src/server/pruning/prune.ts";
import { engine, NOW, startTestService, type TestService } from "../harness.ts";
import { createEvents, sendTelemetry } from "../server/telemetry-helpers.ts";
import { recordStatements, watchStatements } from "../sql-statements.ts";

let service: TestService;
let stopWatching: () => void;

beforeEach(async () => {
  service = await startTestService();
  await service.analysis.stop();
  stopWatching = watchStatements();
  await service.addGame("maze");
  const events = createEvents(["death", "crash_reported"], NOW);
  for (const clientSessionId of ["first", "second"])
    await sendTelemetry(service, {
      ...{ gameId: "maze", deviceId: "phone", clientSessionId, events, sessionEnded: true },
    });
});

afterEach(async () => {
  stopWatching();
  await service.stop();
});

/** Runs work. The result has the plan of each of its queries, by SQL. */
async function explain(work: () => Promise<unknown>): Promise<Map<string, string>> {
  const { statements } = await recordStatements(work);
  const plans = new Map<string, string>();
  // A game has few rows of event config, and a database few games.
  for (const { query } of statements.filter(({ query: { sql } }) =>
    / from "(?!event_config|games)/.test(sql),
  )) {
    const { rows } = await service.service.store.writeDb.executeQuery<{ detail: string }>({
      ...query,
      sql: `explain query plan ${query.sql}`,
    });
    plans.set(query.sql, rows.map(({ detail }) => detail).join("\n"));
  }
  return plans;
}

/** A scan, a search by the game alone, or for all sessions that nothing is due for. */
const READS_ALL = /^SCAN |\(game_id=\?\)|_(due|version) \(\w+=\?\)/m;

it.runIf(engine === "sqlite")("no statement of an analysis reads all rows of the game", async () => {
  const plans = await explain(async () => expect(await analyzeNext(service.service, "due")).toBe(true));
  const read = [...plans.keys()].join("\n");
  expect(read).toContain('from "insights"');
  expect(read).toContain('from "crash_reports"');
  expect([...plans].filter(([, plan]) => READS_ALL.test(plan))).toEqual([]);
});

it.runIf(engine === "sqlite")("no statement of pruning reads all sessions", async () => {
  while (await analyzeNext(service.service, "due"));
  service.clock.now += 1000;
  const { signal } = new AbortController();
  const plans = await explain(async () => {
    const policy = { keepEventsMs: 0, keepSessionsMs: null };
    expect(await prune(service.service, policy, { signal })).toMatchObject({ sessions: 2 });
  });
  expect([...plans.keys()].join("\n")).toContain("events_pruned_at is null");
  expect([...plans].filter(([, plan]) => READS_ALL.test(plan))).toEqual([]);
});

it.runIf(engine === "sqlite")("the search for slow sessions reads no others", async () => {
  const key = { game_id: "maze", environment: "development", room: "hall" };
  const slow = { minMs: MIN_SLOW_MS, afterId: "", limit: 10 };
  const plans = await explain(() => findSlowSessions(service.service.store.writeDb, key, slow));
  expect([...plans.values()]).toEqual([expect.stringContaining("USING INDEX room_times_slow")]);
});
