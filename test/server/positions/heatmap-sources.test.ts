/** Heatmaps of any event and source: they equal a recomputation, and count what they do not include. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { streamStoredEvents } from "../../../src/server/telemetry/batch-queries.ts";
import type { TelemetryEvent } from "../../../src/server/telemetry/event-names.ts";
import { startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import { naiveHeatmap } from "./naive-heatmap.ts";
import { type PositionSession, readHeatmap as readCells, sendSessions } from "./position-sessions.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.stop());

const SOURCES = ["unity-telemetry", "godot-telemetry", "typescript-telemetry", "obs"] as const;
const EVENTS = ["player_pos", "player_death", "__proto__"] as const;
const nameEvent = (n: number) => [...EVENTS, "jump"][n % 4] ?? "";

const position = fc.oneof(
  fc.record({
    x: fc.integer({ min: -9, max: 9 }),
    y: fc.double({ noNaN: true, min: 0, max: 3 }),
    room: fc.constantFrom("hall", "dock"),
  }),
  fc.record({
    x: fc.constantFrom<unknown>("1", 5),
    y: fc.constant(0),
    room: fc.constantFrom<unknown>("", "hall"),
  }),
);
const session: fc.Arbitrary<PositionSession> = fc.record({
  source: fc.constantFrom(...SOURCES),
  build: fc.constantFrom("1.0", "1.1"),
  env: fc.constantFrom("production", "staging"),
  batches: fc.array(fc.array(position, { maxLength: 40 }), { maxLength: 3 }),
});

const readHeatmap = async (slug: string, search: string) =>
  (await service.get(`/api/v1/heatmaps/${slug}?${search}`)).json;

it("equals the recomputation for every source and event, before and after compaction", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(session, { maxLength: 6 }), async (sessions) => {
      const { slug, selectEvents } = await sendSessions(service, sessions, nameEvent);
      const isBuild = ({ build }: PositionSession) => build === "1.0";
      for (const source of ["all", ...SOURCES]) {
        for (const event of EVENTS) {
          const search = `?source=${source}&event=${event}`;
          const expected = naiveHeatmap(
            selectEvents(() => true, source),
            event,
          );
          expect(await readCells(service, slug, search)).toStrictEqual(expected);
          expect(await readCells(service, slug, `${search}&build=1.0`)).toStrictEqual(
            naiveHeatmap(selectEvents(isBuild, source), event),
          );
          const { omitted } = await readHeatmap(slug, search.slice(1));
          const elsewhere = SOURCES.filter((other) => source !== "all" && other !== source).map(
            (other) =>
              [
                other,
                naiveHeatmap(
                  selectEvents(() => true, other),
                  event,
                ).eventCount,
              ] as const,
          );
          expect(omitted.otherSources).toEqual(
            Object.fromEntries(elsewhere.filter(([, count]) => count > 0)),
          );
          const everywhere = selectEvents(() => true, "all");
          const total = everywhere.filter(({ name }) => name === event).length;
          expect(omitted.withoutPosition).toBe(total - naiveHeatmap(everywhere, event).eventCount);
        }
      }
      expect(await readCells(service, slug)).toStrictEqual(naiveHeatmap(selectEvents(() => true)));
    }),
    { numRuns: 25 },
  );
});

describe("a heatmap of a small game", () => {
  let slug: string;
  let selectEvents: Awaited<ReturnType<typeof sendSessions>>["selectEvents"];
  beforeAll(async () => {
    const place = { x: 1, y: 2, room: "hall" };
    const sessions = SOURCES.slice(1).map((source) => ({
      ...{ source, build: "1.0", env: "production" },
      batches: Array.from({ length: 70 }, () => [place, place, {}, place]),
    }));
    ({ slug, selectEvents } = await sendSessions(service, sessions, nameEvent));
  });

  it("keeps the response of the API document without new parameters", async () => {
    const heatmap = await readHeatmap(slug, "");
    expect(Object.keys(heatmap)).toEqual(["game", "rooms", "eventCount"]);
    expect(heatmap.eventCount).toBe(0);
  });

  it("repeats the parameters and counts other sources and events if nothing matches", async () => {
    const heatmap = await readHeatmap(slug, "event=nothing&source=unity-telemetry");
    expect(heatmap).toMatchObject({
      applied: { event: "nothing", source: "unity-telemetry" },
      rooms: [],
      omitted: { otherSources: {}, withoutPosition: 0, otherEvents: {} },
    });
    expect((await readHeatmap(slug, "event=nothing&source=all")).omitted.otherEvents).toEqual({
      ...{ player_pos: 210, player_death: 210, jump: 210 },
    });
    expect((await readHeatmap(slug, "source=unity-telemetry")).omitted).toEqual({
      otherSources: { "godot-telemetry": 70, "typescript-telemetry": 70, obs: 70 },
      ...{ withoutPosition: 0, otherEvents: {} },
    });
  });

  it("is the same after compaction moved its positions", async () => {
    const all = "source=all&event=player_death";
    const before = [await readHeatmap(slug, all), await readHeatmap(slug, "source=obs&event=jump")];
    await service.compaction.drain();
    const blocks = await service.service.store.readDb
      .selectFrom("position_blocks")
      .select(["event", "source"])
      .execute();
    expect(blocks.map(({ event, source }) => `${event} ${source}`)).toContain("player_death obs");
    expect([await readHeatmap(slug, all), await readHeatmap(slug, "source=obs&event=jump")]).toEqual(before);
    const { store } = service.service;
    const { id, game_id } = await store.readDb
      .selectFrom("sessions")
      .innerJoin("games", "games.id", "sessions.game_id")
      .select(["sessions.id", "game_id"])
      .where("games.slug", "=", slug)
      .where("source", "=", "obs")
      .executeTakeFirstOrThrow();
    const stored: TelemetryEvent[] = [];
    for await (const batch of streamStoredEvents(store.readDb, game_id, id)) stored.push(...batch);
    expect(stored.map(({ name, data }) => [name, data])).toEqual(
      selectEvents(() => true, "obs").map(({ name, data }) => [name, data]),
    );
  });

  it("refuses an unknown source", async () => {
    const answer = await service.get(`/api/v1/heatmaps/${slug}?source=unity`);
    expect([answer.status, answer.json.issues[0].path]).toEqual([400, ["source"]]);
  });
});

it("reported no faults", () => {
  expect(service.faults).toEqual([]);
});
