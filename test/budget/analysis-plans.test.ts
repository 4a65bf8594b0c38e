/** What the analysis of a session reads: rows of its session, device or room, and never all rows of its game. */
import { expect, it } from "vitest";
import { analyzeNext } from "../../src/server/analysis/analyze-next.ts";
import { engine, NOW, startTestService } from "../harness.ts";
import { createEvents, sendTelemetry } from "../server/telemetry-helpers.ts";
import { recordStatements, watchStatements } from "../sql-statements.ts";

it.runIf(engine === "sqlite")("no statement of an analysis reads all rows of the game", async () => {
  const service = await startTestService();
  await service.analysis.stop();
  const stopWatching = watchStatements();
  try {
    await service.addGame("maze");
    const body = {
      gameId: "maze",
      deviceId: "phone",
      events: createEvents(["death", "crash_reported"], NOW),
    };
    for (const clientSessionId of ["first", "second"])
      await sendTelemetry(service, { ...body, clientSessionId, sessionEnded: true });
    const { value, statements } = await recordStatements(() => analyzeNext(service.service, "due"));
    expect(value).toBe(true);
    const { writeDb } = service.service.store;
    // A game has few rows of event config.
    const plans = new Map<string, string>();
    for (const { query } of statements.filter(({ query: { sql } }) => / from "(?!event_config")/.test(sql))) {
      const { rows } = await writeDb.executeQuery<{ detail: string }>({
        ...query,
        sql: `explain query plan ${query.sql}`,
      });
      plans.set(query.sql, rows.map(({ detail }) => detail).join("\n"));
    }
    const read = [...plans.keys()].join("\n");
    expect(read).toContain('from "insights"');
    expect(read).toContain('from "crash_reports"');
    expect([...plans].filter(([, plan]) => /^SCAN |\(game_id=\?\)/m.test(plan))).toEqual([]);
  } finally {
    stopWatching();
    await service.stop();
  }
});
