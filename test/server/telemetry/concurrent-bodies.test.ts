/** Bodies that arrive at the same time share a transaction. Each is stored as if it had arrived alone. */
import type pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TelemetryEnvelope } from "../../../src/contract/telemetry.ts";
import { addTombstones } from "../../../src/server/sessions/tombstone-queries.ts";
import { decodeIds } from "../../../src/server/telemetry/batch-codec.ts";
import { ingest } from "../../../src/server/telemetry/ingest.ts";
import { engine, isSharded } from "../../engine.ts";
import { startTestService, type TestService } from "../../harness.ts";
import { createEvents } from "../telemetry-helpers.ts";

const BODIES = 8;
const numbers = Array.from({ length: BODIES }, (_, n) => n);

let service: TestService;
let gameId: string;

beforeEach(async () => {
  service = await startTestService();
  await service.analysis.stop();
  gameId = await service.addGame("maze");
});

afterEach(() => service.stop());

const send = (session: string, n: number, more: object = {}) =>
  service.post("/api/telemetry", {
    gameId: "maze",
    clientSessionId: session,
    events: createEvents(["step", "player_pos"]).map((event) => ({ ...event, id: `${n}-${event.id}` })),
    ...more,
  });

const readBatches = async () =>
  await service.service.store.readDb.selectFrom("event_batches").selectAll().orderBy("seq").execute();

async function readSessions() {
  const rows = await service.service.store.readDb.selectFrom("sessions").selectAll().execute();
  return rows.map(({ client_session_id, next_batch, event_counts }) => ({
    session: client_session_id,
    batches: next_batch,
    counts: JSON.parse(event_counts) as unknown,
  }));
}

/** The events of a game by name, from its counters. */
async function readTotals(): Promise<Record<string, number>> {
  return (await service.get("/api/v1/events/maze")).json.byName as Record<string, number>;
}

describe("bodies at the same time", () => {
  it("are stored one after another if they belong to the same session, also if it is new", async () => {
    const answers = await Promise.all(numbers.map((n) => send("one", n)));
    expect(answers.map(({ status }) => status)).toEqual(numbers.map(() => 202));
    expect(new Set(answers.map(({ json }) => json.sessionId)).size).toBe(1);
    expect(answers.map(({ json }) => json.accepted)).toEqual(numbers.map(() => 2));
    const counts = { step: BODIES, player_pos: BODIES };
    expect(await readSessions()).toEqual([{ session: "one", batches: BODIES, counts }]);
    const batches = await readBatches();
    expect(batches.map(({ seq }) => seq)).toEqual(numbers);
    expect(new Set(batches.flatMap((batch) => decodeIds(batch))).size).toBe(2 * BODIES);
    expect(await readTotals()).toEqual(counts);
  });

  it("neither lose the end of a session nor events that arrive with it", async () => {
    const names = ["first", "last"];
    for (const name of names) await send(name, 0);
    // Without HTTP, so that all of them share a transaction.
    const scope = { accountId: service.accountId, boundGameId: null };
    const store = (clientSessionId: string, more: Partial<TelemetryEnvelope>) =>
      ingest(service.service, scope, { gameId, clientSessionId, events: [], ...more });
    const events = createEvents(["step", "player_pos"]).map((event) => ({ ...event, id: `1-${event.id}` }));
    await Promise.all([
      store("first", { sessionEnded: true }),
      store("first", { events }),
      store("last", { events }),
      store("last", { sessionEnded: true }),
    ]);
    const rows = await service.service.store.readDb
      .selectFrom("sessions")
      .select(["client_session_id", "next_batch", "ended"])
      .orderBy("client_session_id")
      .execute();
    expect(rows).toEqual(names.map((client_session_id) => ({ client_session_id, next_batch: 2, ended: 1 })));
    expect(await readTotals()).toEqual({ step: 4, player_pos: 4 });
  });

  it("are stored if others fail before they have written anything", async () => {
    const answers = await Promise.all(
      numbers.map((n) => send(`session-${n}`, n, n % 3 === 1 ? { gameId: "unknown" } : {})),
    );
    expect(answers.map(({ status }) => status)).toEqual(numbers.map((n) => (n % 3 === 1 ? 404 : 202)));
    expect(await readSessions()).toHaveLength(5);
    expect(await readTotals()).toEqual({ step: 5, player_pos: 5 });
  });

  it("are stored if another one fails after it has written", async () => {
    const { store, now } = service.service;
    await addTombstones(store.writeDb, [{ kind: "client_session", gameId, value: "erased" }], now());
    const names = ["a", "erased", "b", "a"];
    const answers = await Promise.all(names.map((name, n) => send(name, n)));
    expect(answers.map(({ status }) => status)).toEqual([202, 409, 202, 202]);
    const sessions = (await readSessions()).sort((x, y) => ((x.session ?? "") < (y.session ?? "") ? -1 : 1));
    expect(sessions).toEqual([
      { session: "a", batches: 2, counts: { step: 2, player_pos: 2 } },
      { session: "b", batches: 1, counts: { step: 1, player_pos: 1 } },
    ]);
    expect(await readTotals()).toEqual({ step: 3, player_pos: 3 });
  });
});

it.runIf(engine === "postgres" && !isSharded)(
  "8 bodies wait for Postgres about as often as one",
  async () => {
    let waits = 0;
    const watched = new WeakSet<object>();
    service.service.store.pool?.on("acquire", (client) => {
      if (watched.has(client)) return;
      watched.add(client);
      // No statement is on its way any more. Only write transactions use the pipeline.
      client.on("drain", () => {
        if ((client as pg.PoolClient & { readonly pipeline: boolean }).pipeline) waits += 1;
      });
    });
    const count = async (sessions: readonly number[], part: number) => {
      waits = 0;
      const answers = await Promise.all(sessions.map((n) => send(`session-${n}`, part)));
      expect(answers.every(({ status }) => status === 202)).toBe(true);
      return waits;
    };
    // On a busy machine, answers can arrive before the next statement of a transaction is sent, which adds a wait.
    const countRepeatedly = async (sessions: readonly number[], part: number) => {
      const counts: number[] = [];
      for (let n = 0; n < 5; n += 1) counts.push(await count(sessions, part + n));
      return { fewest: Math.min(...counts), most: Math.max(...counts) };
    };
    await count(numbers, 0);
    // The start of the transaction, the game, the session, what is written, and the counters with the commit.
    const alone = await countRepeatedly([0], 1);
    expect(alone.fewest).toBeGreaterThan(2);
    expect(alone.fewest).toBeLessThanOrEqual(5);
    const together = await countRepeatedly(numbers, 6);
    expect(together.most).toBeGreaterThan(2);
    expect(together.fewest).toBeLessThanOrEqual(3 * alone.fewest);
  },
);
