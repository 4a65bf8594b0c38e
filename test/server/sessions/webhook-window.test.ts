/** The 30-minute window of chat threads at its boundary: concurrent calls, late calls, clocks that differ or are set back. */
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { engine, freshFolder, NOW, startTestService, type TestService } from "../../harness.ts";
import { seed } from "../../property.ts";
import { createRandom } from "../../random.ts";

const WINDOW = 30 * 60_000;
const ROUNDS = process.env.PLAYTEST_FAULTS === "long" ? 2000 : 20;

/** Differences from the exact end of the window, ms. */
const offsets = [-2, -1, 0, 1, 2];
const CLOCK_SPREAD = Math.max(...offsets) - Math.min(...offsets);

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
  await service.addGame("ember");
});

afterEach(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

/** Calls the webhook at a time (ms after the start of the tests). Returns 201 for a new session, or 200. */
async function callAt(ms: number, channel = "c", { clock, post, keys } = service): Promise<number> {
  clock.now = NOW + ms;
  const path = `/api/webhooks/discord?key=${keys.management}`;
  const { status, json } = await post(path, { channel_id: channel, game: "ember" }, { key: null });
  expect(json).toEqual({ sessionsCreated: status === 201 ? 1 : 0, messagesIngested: 0 });
  return status;
}

it("is open until 30 min - 1 ms after the last call, and closed from 30 min on", async () => {
  for (const offset of offsets) {
    const channel = `c${offset}`;
    const statuses = [await callAt(0, channel), await callAt(WINDOW + offset, channel)];
    expect([offset, ...statuses]).toEqual([offset, 201, offset < 0 ? 200 : 201]);
  }
});

it("is not shortened by a call that arrives late", async () => {
  const statuses = [
    await callAt(0),
    await callAt(WINDOW + 1),
    // A server whose clock is slightly behind, or that waited for the database, records its call last.
    await callAt(WINDOW - 1),
    // This is 30 min - 1 ms after the newest call.
    await callAt(2 * WINDOW),
    await callAt(3 * WINDOW - 1),
    await callAt(4 * WINDOW - 1),
  ];
  expect(statuses).toEqual([201, 201, 200, 200, 200, 201]);
});

describe("a clock that is set back", () => {
  it("by less than the window keeps the session open until 30 minutes after the newest call", async () => {
    const statuses = [
      await callAt(0),
      await callAt(-WINDOW + 1),
      await callAt(WINDOW - 1),
      await callAt(WINDOW),
    ];
    expect(statuses).toEqual([201, 200, 200, 200]);
    expect(await callAt(2 * WINDOW)).toBe(201);
  });

  it("by the window or more opens a new session, and does not keep it open until the clock is there again", async () => {
    for (const back of [WINDOW, WINDOW + 1, 365 * 24 * 2 * WINDOW]) {
      const channel = `c${back}`;
      const statuses = [
        await callAt(0, channel),
        await callAt(-back, channel),
        await callAt(-back + WINDOW - 1, channel),
        await callAt(-back + 2 * WINDOW - 1, channel),
      ];
      expect([back, ...statuses]).toEqual([back, 201, 201, 200, 201]);
    }
  });
});

it(`has one session however calls at its end interleave: ${ROUNDS} rounds (PLAYTEST_SEED=${seed})`, async () => {
  const random = createRandom(seed);
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
  let base = NOW;
  // Each call reads a clock that differs by a few ms, as on several servers.
  const clock = {
    get now() {
      return base + pick(offsets);
    },
  };
  const database = join(freshFolder(), "play.db");
  const first = await startTestService({ database, clock });
  await first.addGame("ember");
  // On SQLite, a second server in the same process would block the first one.
  const servers = [first];
  if (engine === "postgres") servers.push(await startTestService({ database, continues: first }));
  const path = `/api/webhooks/discord?key=${first.keys.management}`;
  /** Of each channel, the base time of the newest round that called it. */
  const lastBases = new Map<string, number>();
  let opened = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const channels = Array.from({ length: 12 }, () => pick(["a", "b"]));
    const calls = channels.map(async (channel) => {
      const body = { channel_id: channel, game: "ember" };
      return { channel, status: (await pick(servers).post(path, body, { key: null })).status };
    });
    const answers = await Promise.all(calls);
    expect(answers.filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);
    for (const channel of new Set(channels)) {
      const created = answers.filter((answer) => answer.channel === channel && answer.status === 201).length;
      const gap = base - (lastBases.get(channel) ?? Number.NEGATIVE_INFINITY);
      // Two clocks differ by at most 4 ms. Within that of the end of the window, the order of the calls decides.
      if (gap - CLOCK_SPREAD >= WINDOW)
        expect([round, channel, gap, created]).toEqual([round, channel, gap, 1]);
      else if (gap + CLOCK_SPREAD < WINDOW)
        expect([round, channel, gap, created]).toEqual([round, channel, gap, 0]);
      else expect(created).toBeLessThanOrEqual(1);
      opened += created;
      lastBases.set(channel, base);
    }
    base += pick([WINDOW, WINDOW, WINDOW + 5, WINDOW - 5, 1]);
  }
  expect((await first.get("/api/v1/sessions?limit=1")).json.total).toBe(opened);
  for (const server of servers.reverse()) await server.stop();
  expect(servers.flatMap(({ faults }) => faults)).toEqual([]);
});
