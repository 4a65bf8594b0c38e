/** Two servers and a compaction process on one file, under load: all of them write, compact and analyze at the same time. */
import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { openTestStore } from "../engine.ts";
import { freshFolder } from "../harness.ts";
import { databaseIn, end, endAll, serve } from "../server/real-server.ts";
import { expectConsistent } from "./expect-consistent.ts";
import { createEvent, finishAnalysis, startCompaction } from "./load-with-kills.ts";

const SESSIONS = process.env.PLAYTEST_FAULTS === "long" ? 600 : 60;
const BODIES = 4;
const EVENTS = 20;
const CLIENTS = 6;

afterEach(endAll);

it(`lose and duplicate nothing in ${SESSIONS} sessions, whose bodies are all sent to both servers`, async () => {
  const folder = freshFolder();
  const database = databaseIn(folder);
  const servers = await Promise.all([serve(folder, "first"), serve(folder, "second")]);
  const [ingestKey = "", managementKey = ""] = (["ingestKey", "managementKey"] as const).map(
    (kind) => servers.find((server) => server[kind])?.[kind],
  );
  const compactor = startCompaction(database);
  const moved = once(compactor.stdout ?? compactor, "data");
  let refused = 0;
  const post = async (url: string, body: unknown): Promise<void> => {
    for (;;) {
      const response = await fetch(`${url}/api/telemetry`, {
        method: "POST",
        headers: { authorization: `Bearer ${ingestKey}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (response.status === 202) return;
      expect(response.status, text).toBe(503);
      refused += 1;
    }
  };
  let next = 0;
  const client = async () => {
    for (let n = next++; n < SESSIONS; n = next++) {
      for (let part = 0; part < BODIES; part += 1) {
        const events = Array.from({ length: EVENTS }, (_, at) => createEvent(`s${n}`, part * EVENTS + at));
        const envelope = {
          gameId: "maze",
          clientSessionId: `s${n}`,
          deviceId: `d${n % 3}`,
          source: "unity-telemetry",
        };
        const body = { ...envelope, events, sessionEnded: part === BODIES - 1 };
        await Promise.all(servers.map(({ url }) => post(url, body)));
      }
    }
  };
  await Promise.all([...Array.from({ length: CLIENTS }, client), moved]);
  await end(compactor, "SIGKILL");
  for (const server of servers) {
    await end(server.process, "SIGTERM");
    expect([server.process.signalCode, server.process.exitCode]).toEqual([null, 0]);
  }
  // A lock is waited for, not refused.
  expect(refused).toBeLessThan(SESSIONS);
  await finishAnalysis(folder, database, managementKey);
  const store = await openTestStore(database);
  const ids = (n: number) => Array.from({ length: BODIES * EVENTS }, (_, at) => createEvent(`s${n}`, at).id);
  await expectConsistent(store, {
    sessions: new Map(Array.from({ length: SESSIONS }, (_, n) => [`s${n}`, new Set(ids(n))])),
    ...{ channels: [], games: ["maze"], experiments: [], managementKey },
  });
  await store.close();
});
