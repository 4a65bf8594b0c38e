/** The demo play as telemetry: reproducible, valid, within the limits and never in the future. */
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { TELEMETRY_LIMITS, telemetryEnvelope, telemetryEvent } from "../../src/contract/telemetry.ts";
import { type DemoBody, type DemoEvent, demoGames, demoTelemetry } from "../../src/demo/index.ts";
import { groupBy, NOW, playedSessions } from "./play.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const hour = Math.floor(NOW / HOUR_MS) * HOUR_MS;
const bodies = [...demoTelemetry(NOW)];
const sessions = playedSessions();

/** The body as it would be, had it been sent `ms` earlier. */
function earlier(body: DemoBody, ms: number): DemoBody {
  const events = body.events.map((event): DemoEvent => ({ ...event, timestamp: event.timestamp - ms }));
  return { ...body, startedAt: body.startedAt - ms, events };
}

describe("determinism", () => {
  test("one hour gives identical bodies", () => {
    expect(JSON.stringify([...demoTelemetry(hour)])).toBe(JSON.stringify(bodies));
    expect(JSON.stringify([...demoTelemetry(hour + HOUR_MS - 1)])).toBe(JSON.stringify(bodies));
  });

  test.each([HOUR_MS, 31 * DAY_MS, -400 * DAY_MS])("%d ms later only the times differ", (ms) => {
    const shifted = [...demoTelemetry(NOW + ms)].map((body) => earlier(body, ms));
    expect(JSON.stringify(shifted)).toBe(JSON.stringify(bodies));
  });
});

describe("bodies", () => {
  test("every body and every event satisfies the contract, with nothing the contract would drop", () => {
    for (const body of bodies) {
      expect(telemetryEnvelope.parse(body)).toEqual(body);
      for (const event of body.events) {
        if (!isDeepStrictEqual(telemetryEvent.parse(event), event)) expect.fail(JSON.stringify(event));
      }
    }
  });

  test("each stays within the limits", () => {
    for (const body of bodies) {
      expect(body.events.length).toBeGreaterThan(0);
      expect(body.events.length).toBeLessThanOrEqual(TELEMETRY_LIMITS.events);
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(TELEMETRY_LIMITS.bodyBytes);
    }
  });

  test("they fit into a minute of one address's allowance, and their events into seconds of ingesting", () => {
    expect(bodies.length).toBeLessThan(120);
    const events = bodies.reduce((sum, body) => sum + body.events.length, 0);
    expect(events).toBeGreaterThan(25_000);
    expect(events).toBeLessThan(60_000);
  });

  test("they come session after session, oldest first", () => {
    const order = bodies.map((body) => body.clientSessionId);
    expect(order.filter((id, index) => id !== order[index - 1])).toHaveLength(sessions.length);
    const starts = sessions.map(({ first }) => first.startedAt);
    expect(starts).toEqual(starts.toSorted((one, other) => one - other));
  });

  test("some sessions span several, all of which say the same of the session", () => {
    expect(sessions.some((session) => session.bodies.length > 1)).toBe(true);
    for (const session of sessions) {
      const about = session.bodies.map(({ events: _, sessionEnded: __, ...rest }) => JSON.stringify(rest));
      expect(new Set(about).size).toBe(1);
      expect(session.bodies.slice(0, -1).every((body) => body.sessionEnded === undefined)).toBe(true);
    }
  });
});

describe("sessions", () => {
  test("event ids are unique and timestamps strictly increase, from the start to at most the full hour", () => {
    for (const { first, events } of sessions) {
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
      const times = events.map(({ timestamp }) => timestamp);
      expect(times.every((time, index) => time > (times[index - 1] ?? first.startedAt - 1))).toBe(true);
      expect(times.at(-1)).toBeLessThanOrEqual(hour);
    }
  });

  test("no device plays two sessions at once", () => {
    const byDevice = groupBy(sessions, ({ first }) => first.deviceId ?? "");
    for (const played of byDevice.values()) {
      for (const [index, { first }] of played.entries()) {
        const before = played[index - 1]?.events.at(-1)?.timestamp ?? 0;
        expect(first.startedAt).toBeGreaterThan(before);
      }
    }
  });

  test("devices look alike, all but one keep their country, and a handle belongs to one of them", () => {
    const devices = groupBy(sessions, ({ first }) => first.deviceId ?? "");
    const handles: (string | undefined)[] = [];
    const countries: number[] = [];
    for (const [device, played] of devices) {
      expect(device).toMatch(/^dev_[0-9a-f]{12}$/);
      expect(new Set(played.map(({ first }) => first.testerHandle)).size).toBe(1);
      countries.push(new Set(played.map(({ first }) => first.country)).size);
      handles.push(played[0]?.first.testerHandle);
    }
    // One key is shared: its handle is played from more countries than one tester would be in.
    expect(countries.filter((count) => count > 1)).toEqual([4]);
    const linked = handles.filter((handle) => handle !== undefined);
    expect(new Set(linked).size).toBe(linked.length);
    expect(linked.length).toBeLessThan(handles.length);
  });

  test("each belongs to a game that existed by then", () => {
    const created = new Map(demoGames.map((game) => [game.slug, hour - game.createdDaysAgo * DAY_MS]));
    for (const { first } of sessions) {
      expect(first.startedAt).toBeGreaterThan(created.get(first.gameId) ?? Number.POSITIVE_INFINITY);
    }
    expect(new Set(sessions.map(({ first }) => first.gameId))).toEqual(new Set(created.keys()));
  });
});
