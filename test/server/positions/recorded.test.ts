/** Recorded sessions: event totals match the files, a repeated import changes nothing, and the analysis finds the hard level. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../harness.ts";
import { listAll, readAllResponses } from "../telemetry-helpers.ts";
import { hasRecordedFiles, type RecordedBody, readBodies, sendAll } from "./recorded-files.ts";

const names = ["waves", "osu"];

describe.runIf(hasRecordedFiles(...names))("recorded sessions", () => {
  let service: TestService;
  const bodies = new Map<string, RecordedBody[]>();
  let before: Record<string, unknown>;

  beforeAll(async () => {
    service = await startTestService();
    for (const name of names) {
      await service.addGame(name);
      bodies.set(name, readBodies(name));
      const events = (bodies.get(name) ?? []).reduce((sum, body) => sum + body.events.length, 0);
      expect(await sendAll(service, bodies.get(name) ?? [])).toEqual({ accepted: events, duplicates: 0 });
    }
    service.clock.now += 60 * 60_000;
    await service.analysis.drain();
    before = await readAllResponses(service);
  });

  afterAll(() => service.stop());

  it.each([
    ["waves", 49, 10_049],
    ["osu", 4, 65_368],
  ])(
    "of %s have %d sessions and %d events, with the counts by name of the file",
    async (name, sessions, events) => {
      const counts: Record<string, number> = {};
      for (const body of bodies.get(name) ?? [])
        for (const event of body.events) counts[event.name] = (counts[event.name] ?? 0) + 1;
      const { json } = await service.get(`/api/v1/events/${name}`);
      expect(json.byName).toEqual(counts);
      expect([json.sessionCount, json.total]).toEqual([sessions, events]);
      expect(json.top).toEqual(
        Object.entries(counts)
          .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
          .slice(0, 50),
      );
      expect((await service.get(`/api/v1/games/${name}`)).json.counts.sessionCount).toBe(sessions);
    },
  );

  it("have the counts, times and builds of the file", async () => {
    const ids = new Map<string, RecordedBody[]>();
    for (const body of [...bodies.values()].flat())
      ids.set(body.clientSessionId, [...(ids.get(body.clientSessionId) ?? []), body]);
    const rows = await service.service.store.readDb.selectFrom("sessions").selectAll().execute();
    expect(rows).toHaveLength(ids.size);
    for (const row of rows) {
      const own = ids.get(row.client_session_id ?? "") ?? [];
      const events = own.flatMap((body) => body.events);
      const times = events.map(({ timestamp }) => timestamp);
      const first = times.reduce((least, time) => Math.min(least, time), Infinity);
      const last = times.reduce((most, time) => Math.max(most, time), -Infinity);
      expect(row).toMatchObject({
        recorded_at: own[0]?.startedAt,
        build: own[0]?.sessionMetadata.gameVersion,
        device_id: own[0]?.deviceId,
        status: "analyzed",
        first_at: first,
        last_at: last,
      });
      const counted = Object.values(JSON.parse(row.event_counts) as Record<string, number>).reduce(
        (sum, count) => sum + count,
        0,
      );
      expect(counted).toBe(events.length);
    }
  });

  it("have at least 20 insights about rooms of waves, and some about its hard level", async () => {
    const insights = await listAll(service, "/api/v1/insights?game=waves");
    const tags = insights.map(({ tag }: { tag: string }) => tag);
    expect(tags.filter((tag: string) => /:level-\d+$/.test(tag)).length).toBeGreaterThanOrEqual(20);
    expect(tags.filter((tag: string) => tag === "stuck-point:level-09")).toHaveLength(2);
    const { json } = await service.get("/api/v1/builds/compare?game=waves&a=4.0-early&b=4.0-late");
    const change = json.diff.changes.find(({ tag }: { tag: string }) => tag === "stuck-point:level-09");
    expect(change.testersA + change.testersB).toBe(2);
    expect(json.buildA.sessionCount + json.buildB.sessionCount).toBe(49);
  });

  it("change no response when they are sent again in another order", async () => {
    for (const name of names) {
      const own = (bodies.get(name) ?? [])
        .toReversed()
        .map((body) => ({ ...body, events: body.events.toReversed() }));
      const events = own.reduce((sum, body) => sum + body.events.length, 0);
      expect(await sendAll(service, own)).toEqual({ accepted: 0, duplicates: events });
    }
    service.clock.now += 60 * 60_000;
    await service.analysis.drain();
    expect(await readAllResponses(service)).toEqual(before);
  });

  it("reported no faults", () => {
    expect(service.faults).toEqual([]);
  });
});

it("tests two games", () => expect(names).toHaveLength(2));
