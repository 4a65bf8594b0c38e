/** Random play gives the same answers before and after its events are removed, apart from the events themselves. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PruningPolicy } from "../../../src/server/pruning/policy.ts";
import { prune } from "../../../src/server/pruning/prune.ts";
import { engine } from "../../engine.ts";
import { freshFolder, NOW, startTestService, type TestService } from "../../harness.ts";
import { seed } from "../../property.ts";
import {
  createChoices,
  createStudio,
  interleave,
  type PlayedSession,
  playSession,
  readAnswers,
  type Studio,
  send,
} from "../erasure/random-play.ts";
import { readSessionRow } from "../telemetry-helpers.ts";

const DAY = 24 * 60 * 60 * 1000;
const signal = new AbortController().signal;
const RUNS = engine === "postgres" ? 2 : 6;

/** Sessions of random testers in one game, all of them analyzed. */
async function playGame(run: number, sessions: number) {
  const random = createChoices(seed + run);
  const database = join(freshFolder(), "play.db");
  const service = await startTestService({ database });
  const studio = await createStudio(service);
  const played = Array.from({ length: sessions }, (_, n): PlayedSession => {
    const tester = random.integer(0, 4);
    const device = random.integer(0, 5) === 0 ? null : `device-${tester}`;
    return playSession(random, studio, {
      name: `s${run}x${n}`,
      device,
      handle: device && `tester-${tester}`,
    });
  });
  const ids = new Map<string, string>();
  await send(service, interleave(random, played), ids);
  return { random, service, studio, played, ids };
}

/** Answers without the fields that say that events were removed, and without the events themselves. */
function withoutEvents(answers: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(answers).filter(([path]) => !path.endsWith("/events"));
  const text = JSON.stringify(Object.fromEntries(kept));
  return JSON.parse(text, (key, value) => (key === "eventsPrunedAt" ? undefined : value));
}

async function runPrune(service: TestService, policy: Partial<PruningPolicy>) {
  const removed = await prune(
    service.service,
    { keepEventsMs: null, keepSessionsMs: null, ...policy },
    { signal },
  );
  expect(service.faults).toEqual([]);
  return removed;
}

async function readAllAnswers(service: TestService, studio: Studio) {
  return await readAnswers(service, studio);
}

describe.each(Array.from({ length: RUNS }, (_, run) => run))("random play %i", (run) => {
  it("has the same answers without the events of some sessions", async () => {
    const { random, service, studio, ids } = await playGame(run, 14);
    const before = await readAllAnswers(service, studio);
    const keepEventsMs = random.integer(0, 18) * 3_600_000;
    const expected: string[] = [];
    for (const id of ids.values()) {
      const { recorded_at, wall_ms } = await readSessionRow(service, id);
      if (recorded_at + wall_ms <= service.clock.now - keepEventsMs) expected.push(id);
    }
    const removed = await runPrune(service, { keepEventsMs });
    expect(removed?.sessions).toBe(expected.length);
    const after = await readAllAnswers(service, studio);
    expect(withoutEvents(after)).toEqual(withoutEvents(before));
    for (const id of ids.values()) {
      const [, page] = after[`/api/v1/sessions/${id}/events`] as [
        number,
        { pruned: unknown; items: unknown[] },
      ];
      const [, full] = before[`/api/v1/sessions/${id}/events`] as [number, { items: unknown[] }];
      if (expected.includes(id))
        expect(page).toEqual({
          items: [],
          next: null,
          unreadable: 0,
          pruned: { at: NOW, events: full.items.length },
        });
      else expect(page).toEqual(full);
    }
    // A restarted server has no caches.
    await service.compaction.drain();
    await service.stop();
  });

  it("repeated telemetry for sessions without events changes nothing", async () => {
    const { random, service, studio, played, ids } = await playGame(run, 8);
    await readAllAnswers(service, studio);
    await runPrune(service, { keepEventsMs: 0 });
    const before = await readAllAnswers(service, studio);
    for (const { path, body } of interleave(random, played).filter(
      (request) => request.path === "/api/telemetry",
    )) {
      const answer = await service.post(path, body);
      expect([answer.status, answer.json.accepted, answer.json.duplicates]).toEqual([202, 0, 0]);
    }
    expect(await readAllAnswers(service, studio)).toEqual(before);
    expect(ids.size).toBe(8);
    await service.stop();
  });

  it("deletes old sessions completely, and only those", async () => {
    const { service, studio, ids } = await playGame(run, 10);
    await readAllAnswers(service, studio);
    const keepSessionsMs = 10 * 3_600_000;
    const kept: string[] = [];
    for (const id of ids.values()) {
      const { recorded_at, wall_ms } = await readSessionRow(service, id);
      if (recorded_at + wall_ms > service.clock.now - keepSessionsMs) kept.push(id);
    }
    const removed = await runPrune(service, { keepSessionsMs });
    expect(removed).toMatchObject({ sessions: 0, deletedSessions: ids.size - kept.length });
    const { sessions } = (await readAllAnswers(service, studio)) as { sessions: { id: string }[] };
    expect(sessions.map(({ id }) => id).sort()).toEqual(kept.sort());
    await service.stop();
  });
});

it("prunes while telemetry arrives, and loses none of it", async () => {
  const service = await startTestService({ database: join(freshFolder(), "play.db") });
  await service.addGame("maze");
  const sendOne = async (name: string, start: number, part: number) => {
    const events = Array.from({ length: 20 }, (_, at) => ({
      id: `${part}-${at}`,
      name: "jump",
      timestamp: start + at * 1000,
    }));
    const body = { gameId: "maze", clientSessionId: name, startedAt: start, sessionEnded: true, events };
    return (await service.post("/api/telemetry", body)).json;
  };
  for (let n = 0; n < 60; n += 1) await sendOne(`old-${n}`, NOW - 100 * DAY, 0);
  await service.analysis.drain();
  let accepted = 0;
  const client = async (name: string) => {
    for (let part = 0; part < 30; part += 1) {
      const receipt = await sendOne(name, NOW - DAY, part);
      accepted += receipt.accepted;
    }
  };
  const [removed] = await Promise.all([
    runPrune(service, { keepEventsMs: 90 * DAY }),
    ...["a", "b", "c"].map(client),
  ]);
  expect(removed).toMatchObject({ sessions: 60, events: 1200 });
  expect(accepted).toBe(3 * 30 * 20);
  const batches = await service.service.store.readDb
    .selectFrom("event_batches")
    .select("event_count")
    .execute();
  expect(batches.reduce((sum, { event_count }) => sum + event_count, 0)).toBe(accepted);
  await service.stop();
});
