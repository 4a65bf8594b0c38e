/** The demo data as telemetry: deterministic, valid, within the limits and never in the future. */
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { TELEMETRY_LIMITS, telemetryEnvelope, telemetryEvent } from "../../src/contract/telemetry.ts";
import { type DemoBody, type DemoEvent, demoGames, demoTelemetry } from "../../src/demo/index.ts";
import { SESSION_IDLE_TIMEOUT_MS } from "../../src/server/sessions/durations.ts";
import { groupBy, NOW, playedSessions } from "./helpers.ts";

const DAY_MS = 86_400_000;
const day = Math.floor(NOW / DAY_MS) * DAY_MS;
const bodies = [...demoTelemetry(NOW)];
const sessions = playedSessions();

/** The body with all timestamps moved back by `ms`. */
function earlier(body: DemoBody, ms: number): DemoBody {
  const events = body.events.map((event): DemoEvent => ({ ...event, timestamp: event.timestamp - ms }));
  return { ...body, startedAt: body.startedAt - ms, events };
}

describe("determinism", () => {
  test("bodies are identical at every hour of a day", () => {
    expect(JSON.stringify([...demoTelemetry(day)])).toBe(JSON.stringify(bodies));
    expect(JSON.stringify([...demoTelemetry(day + DAY_MS - 1)])).toBe(JSON.stringify(bodies));
  });

  test.each([DAY_MS, 31 * DAY_MS, -400 * DAY_MS])("only timestamps differ %d ms later", (ms) => {
    const shifted = [...demoTelemetry(NOW + ms)].map((body) => earlier(body, ms));
    expect(JSON.stringify(shifted)).toBe(JSON.stringify(bodies));
  });
});

describe("bodies", () => {
  test("satisfy the contract without fields that it would drop", () => {
    for (const body of bodies) {
      expect(telemetryEnvelope.parse(body)).toEqual(body);
      for (const event of body.events) {
        if (!isDeepStrictEqual(telemetryEvent.parse(event), event)) expect.fail(JSON.stringify(event));
      }
    }
  });

  test("are within the limits", () => {
    for (const body of bodies) {
      expect(body.events.length).toBeGreaterThan(0);
      expect(body.events.length).toBeLessThanOrEqual(TELEMETRY_LIMITS.events);
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(TELEMETRY_LIMITS.bodyBytes);
    }
  });

  test("fit into the rate limit of one address per minute, and are few enough to ingest within seconds", () => {
    expect(bodies.length).toBeLessThan(120);
    const events = bodies.reduce((sum, body) => sum + body.events.length, 0);
    expect(events).toBeGreaterThan(25_000);
    expect(events).toBeLessThan(60_000);
  });

  test("are ordered by session, oldest first", () => {
    const order = bodies.map((body) => body.clientSessionId);
    expect(order.filter((id, index) => id !== order[index - 1])).toHaveLength(sessions.length);
    const starts = sessions.map(({ first }) => first.startedAt);
    expect(starts).toEqual(starts.toSorted((one, other) => one - other));
  });

  test("of the same session have the same session fields", () => {
    expect(sessions.some((session) => session.bodies.length > 1)).toBe(true);
    for (const session of sessions) {
      const about = session.bodies.map(({ events: _, sessionEnded: __, ...rest }) => JSON.stringify(rest));
      expect(new Set(about).size).toBe(1);
      expect(session.bodies.slice(0, -1).every((body) => body.sessionEnded === undefined)).toBe(true);
    }
  });
});

describe("sessions", () => {
  test("have unique event ids and strictly increasing timestamps, and have ended by the start of the day", () => {
    for (const { first, events } of sessions) {
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
      const times = events.map(({ timestamp }) => timestamp);
      expect(times.every((time, index) => time > (times[index - 1] ?? first.startedAt - 1))).toBe(true);
      expect(times.at(-1)).toBeLessThan(day - SESSION_IDLE_TIMEOUT_MS);
    }
  });

  test("of one device do not overlap", () => {
    const byDevice = groupBy(sessions, ({ first }) => first.deviceId ?? "");
    for (const played of byDevice.values()) {
      for (const [index, { first }] of played.entries()) {
        const before = played[index - 1]?.events.at(-1)?.timestamp ?? 0;
        expect(first.startedAt).toBeGreaterThan(before);
      }
    }
  });

  test("have well-formed device ids, one country per device except one, and unique handles", () => {
    const devices = groupBy(sessions, ({ first }) => first.deviceId ?? "");
    const handles: (string | undefined)[] = [];
    const countries: number[] = [];
    for (const [device, played] of devices) {
      expect(device).toMatch(/^dev_[0-9a-f]{12}$/);
      expect(new Set(played.map(({ first }) => first.testerHandle)).size).toBe(1);
      countries.push(new Set(played.map(({ first }) => first.country)).size);
      handles.push(played[0]?.first.testerHandle);
    }
    // One device is shared between testers, so it has sessions in several countries.
    expect(countries.filter((count) => count > 1)).toEqual([4]);
    const linked = handles.filter((handle) => handle !== undefined);
    expect(new Set(linked).size).toBe(linked.length);
    expect(linked.length).toBeLessThan(handles.length);
  });

  test("start after their game was created", () => {
    const created = new Map(demoGames.map((game) => [game.slug, day - game.createdDaysAgo * DAY_MS]));
    for (const { first } of sessions) {
      expect(first.startedAt).toBeGreaterThan(created.get(first.gameId) ?? Number.POSITIVE_INFINITY);
    }
    expect(new Set(sessions.map(({ first }) => first.gameId))).toEqual(new Set(created.keys()));
  });
});
