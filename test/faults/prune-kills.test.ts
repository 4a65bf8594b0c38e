/** A run that is killed loses nothing, removes nothing twice, and is continued by the next one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";
import { prune } from "../../src/server/pruning/prune.ts";
import { readPruningState } from "../../src/server/pruning/state-queries.ts";
import { resolveDatabase } from "../engine.ts";
import { freshFolder, NOW, startTestService } from "../harness.ts";
import { readAllResponses, sendTelemetry } from "../server/telemetry-helpers.ts";

const DAY = 24 * 60 * 60 * 1000;
const root = join(import.meta.dirname, "..", "..");
/** More batches than one step removes, so that runs are killed within a session. */
const BATCHES = 1500;
/** The run after a kill first waits until the killed one has lost its claim. */
const KILLS = process.env.PLAYTEST_FAULTS === "long" ? 4 : 2;

/** Starts to prune, and kills the process after its first step. Returns whether it was killed before it had finished. */
async function pruneUntilKilled(database: string): Promise<boolean> {
  const script = join(root, "test", "faults", "prune-process.ts");
  const child = spawn(process.execPath, ["--import", "tsx", script, database], {
    cwd: root,
    stdio: ["ignore", "pipe", "ignore"],
  });
  child.stdout?.once("data", () => child.kill("SIGKILL"));
  await once(child, "exit");
  return child.signalCode === "SIGKILL";
}

it("continues where a killed run stopped", async () => {
  const file = join(freshFolder(), "play.db");
  const service = await startTestService({ database: file });
  await service.addGame("maze");
  const start = NOW - 100 * DAY;
  const send = async (name: string, batches: number) => {
    for (let n = 0; n < batches; n += 1)
      await sendTelemetry(service, {
        gameId: "maze",
        clientSessionId: name,
        startedAt: start,
        events: [
          {
            id: `e${n}`,
            name: n % 9 ? "jump" : "death",
            timestamp: start + n * 1000,
            data: { room: "hall" },
          },
        ],
        sessionEnded: n === batches - 1,
      });
  };
  await send("long", BATCHES);
  await send("longer", BATCHES + 1);
  for (let n = 0; n < 50; n += 1) await send(`short-${n}`, 2);
  await service.analysis.drain();
  const before = await readAllResponses(service);
  await service.stop();

  const database = await resolveDatabase(file);
  for (let kills = 0; kills < KILLS; kills += 1) expect(await pruneUntilKilled(database)).toBe(true);

  const again = await startTestService({ database: file, continues: service });
  const rows = async () =>
    (await again.service.store.readDb.selectFrom("event_batches").select("event_count").execute()).length;
  expect(await rows()).toBeGreaterThan(0);
  const policy = { keepEventsMs: 0, keepSessionsMs: null };
  expect(await prune(again.service, policy, { signal: new AbortController().signal })).not.toBeNull();
  expect(await rows()).toBe(0);
  expect(await readPruningState(again.service.store.readDb)).toMatchObject({
    ...{ holder: null, session_id: null },
    ...{ pruned_sessions: 52, pruned_events: 2 * BATCHES + 1 + 100 },
  });
  const after = await readAllResponses(again);
  const clean = (answers: unknown) =>
    JSON.parse(JSON.stringify(answers), (key, value) => (key === "eventsPrunedAt" ? undefined : value));
  expect(clean(after)).toEqual(clean(before));
  await again.stop();
});
