/** Event sums of time ranges match the sessions in the range, both for whole days and for parts of days. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";

const DAY = 24 * 60 * 60_000;
const MIDNIGHT = Date.UTC(2026, 1, 10);
const names = ["a", "b", "c", "__proto__", "10", "é"];

interface Planned {
  readonly at: number;
  readonly build: string;
  readonly env: string;
  readonly events: readonly string[];
}

let service: TestService;
let games = 0;

beforeAll(async () => {
  service = await startTestService({ clock: { now: MIDNIGHT + 4 * DAY } });
});

afterAll(() => service.stop());

/** Times around midnight. Whole days use stored counters, and parts of days are summed from sessions. */
const time = fc
  .tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom(-1, 0, 1, 5000, DAY / 2, DAY - 1))
  .map(([day, ms]) => MIDNIGHT + day * DAY + ms);
const planned: fc.Arbitrary<Planned> = fc.record({
  at: fc.oneof(
    { weight: 9, arbitrary: time },
    { weight: 1, arbitrary: fc.constantFrom(0, 1, DAY - 1, DAY, 8_640_000_000_000_000) },
  ),
  build: fc.constantFrom("1.0", "1.1"),
  env: fc.constantFrom("production", "staging"),
  events: fc.array(fc.constantFrom(...names), { maxLength: 5 }),
});
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const filter = fc.record({
  from: optional(fc.oneof(time, fc.constant(0))),
  to: optional(fc.oneof(time, fc.constant(Number.MAX_SAFE_INTEGER))),
  build: optional(fc.constantFrom("1.0", "1.1", "none")),
  env: optional(fc.constantFrom("production", "staging", "all", "none")),
});
type Filter = {
  from?: number | undefined;
  to?: number | undefined;
  build?: string | undefined;
  env?: string | undefined;
};

/** The time at which a session is counted: its time of receipt if its clock is wrong. */
const toCountedTime = (at: number) =>
  at < DAY * 365 || at > service.clock.now + DAY ? service.clock.now : at;

/** Computes the expected sums from the sessions that match. */
function computeExpected(sessions: readonly Planned[], { from = 0, to = Infinity, build, env }: Filter) {
  const matching = sessions.filter(
    (session) =>
      toCountedTime(session.at) >= from &&
      toCountedTime(session.at) <= to &&
      (build === undefined || session.build === build) &&
      (env === undefined || env === "all" || session.env === env),
  );
  const counts = new Map<string, number>();
  for (const name of matching.flatMap(({ events }) => events)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const top = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return { sessionCount: matching.length, total: matching.flatMap(({ events }) => events).length, top };
}

async function readSums(slug: string, { from, to, ...rest }: Filter) {
  const ordered = from !== undefined && to !== undefined && from > to ? { from: to, to: from } : { from, to };
  const given = Object.entries({ ...ordered, ...rest }).filter(([, value]) => value !== undefined);
  const answer = await service.get(
    `/api/v1/events/${slug}?${given.map(([name, value]) => `${name}=${value}`).join("&")}`,
  );
  expect(answer.status).toBe(200);
  const { sessionCount, total, top, byName } = answer.json;
  expect(Object.entries(byName).sort()).toEqual([...top].sort());
  return { filter: { ...ordered, ...rest }, sums: { sessionCount, total, top } };
}

it("event sums match the sessions for any range, build and environment", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(planned, { maxLength: 12 }),
      fc.array(filter, { minLength: 1, maxLength: 12 }),
      async (sessions, filters) => {
        games += 1;
        const slug = `game-${games}`;
        await service.addGame(slug);
        for (const [number, { at, build, env, events }] of sessions.entries()) {
          const body = {
            gameId: slug,
            clientSessionId: `s${number}`,
            startedAt: at,
            environment: env,
            sessionMetadata: { gameVersion: build },
          };
          const sent = events.map((name, n) => ({ id: `e${n}`, name, timestamp: toCountedTime(at) }));
          await sendTelemetry(service, { ...body, events: sent.slice(0, 2) });
          await sendTelemetry(service, { ...body, events: sent });
        }
        for (const generated of filters) {
          const { filter: sent, sums } = await readSums(slug, generated);
          expect(sums).toEqual(computeExpected(sessions, sent));
        }
      },
    ),
    { numRuns: 60 },
  );
});

it("a range includes both bounds exactly", async () => {
  await service.addGame("edges");
  for (const [n, at] of [MIDNIGHT - 1, MIDNIGHT, MIDNIGHT + DAY - 1, MIDNIGHT + DAY].entries()) {
    await sendTelemetry(service, {
      gameId: "edges",
      startedAt: at,
      events: [{ id: "e", name: `n${n}`, timestamp: at }],
    });
  }
  const named = async (from: number, to: number) =>
    (await readSums("edges", { from, to })).sums.top.map(([name]: [string]) => name);
  expect(await named(MIDNIGHT, MIDNIGHT + DAY - 1)).toEqual(["n1", "n2"]);
  expect(await named(MIDNIGHT - 1, MIDNIGHT + DAY)).toEqual(["n0", "n1", "n2", "n3"]);
  expect(await named(MIDNIGHT + 1, MIDNIGHT + DAY - 2)).toEqual([]);
  expect(await named(MIDNIGHT, MIDNIGHT)).toEqual(["n1"]);
  expect(await named(MIDNIGHT + DAY, MIDNIGHT + DAY)).toEqual(["n3"]);
});

it("event sums return the 50 most frequent names, with ties by name, and the counts of all names", async () => {
  await service.addGame("many");
  const events = Array.from(
    { length: 70 },
    (_, n) => `name-${String((n * 37) % 70).padStart(2, "0")}`,
  ).flatMap((name) => (name < "name-05" ? [name, name] : [name]));
  await sendTelemetry(service, {
    gameId: "many",
    events: events.map((name, n) => ({ id: `e${n}`, name, timestamp: MIDNIGHT + n })),
  });
  const { json } = await service.get("/api/v1/events/many");
  const sorted = [...new Set(events)].sort();
  expect(json.top.map(([name]: [string]) => name)).toEqual(sorted.slice(0, 50));
  expect([Object.keys(json.byName).length, json.total]).toEqual([70, 75]);
});

it("event sums are empty for a game without sessions", async () => {
  await service.addGame("empty");
  const { json } = await service.get("/api/v1/events/empty?build=none");
  expect(json).toMatchObject({ sessionCount: 0, total: 0, byName: {}, top: [] });
});

it("reports no faults", () => {
  expect(service.faults).toEqual([]);
});
