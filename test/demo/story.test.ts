/** The content of the demo data: which friction got smaller, which persists, and which is new. */
import { describe, expect, test } from "vitest";
import { emberRooms } from "../../src/demo/ember-rooms.ts";
import { countEvents, devicesOf, NOW, type PlayedSession, sessionsOf, shareOfTesters } from "./helpers.ts";

const DAY_MS = 86_400_000;
const before = sessionsOf("ember", "0.8.0");
const after = sessionsOf("ember", "0.9.0");
const ember = [...before, ...after];

/** Share of testers, 0 to 1, who died at least five times in the room in one session. */
const stuck = (sessions: readonly PlayedSession[], room: string) =>
  shareOfTesters(sessions, (session) => countEvents(session, "player_death", room) >= 5);
const met = (sessions: readonly PlayedSession[], name: string, room?: string) =>
  shareOfTesters(sessions, (session) => countEvents(session, name, room) > 0);

describe("Ember Hollow's testers", () => {
  test("play two builds in separate weeks", () => {
    expect([before.length, devicesOf(before).size]).toEqual([28, 20]);
    expect([after.length, devicesOf(after).size]).toEqual([35, 27]);
    const days = (sessions: readonly PlayedSession[]) =>
      sessions.map(({ first }) => (NOW - first.startedAt) / DAY_MS);
    expect(Math.max(...days(before))).toBeLessThan(21.7);
    expect(Math.min(...days(before))).toBeGreaterThan(12);
    expect(Math.max(...days(after))).toBeLessThan(10.7);
  });

  test("often play both builds, and some several times", () => {
    const later = devicesOf(after);
    expect([...devicesOf(before)].filter((device) => later.has(device))).toHaveLength(14);
  });
});

describe("the friction in the demo data", () => {
  test("the ash bridge was too hard and is fixed", () => {
    expect(stuck(before, "ash-bridge")).toBeGreaterThan(0.3);
    expect(stuck(after, "ash-bridge")).toBe(0);
  });

  test("the new furnace is a difficulty spike with rage quits", () => {
    expect(met(before, "room_enter", "furnace")).toBe(0);
    expect(stuck(before, "furnace")).toBe(0);
    expect(stuck(after, "furnace")).toBeGreaterThan(0.3);
    const worst = Math.max(...after.map((session) => countEvents(session, "player_death", "furnace")));
    expect(worst).toBe(14);
    expect(after.filter((session) => countEvents(session, "rage_quit", "furnace") > 0)).toHaveLength(7);
  });

  test("the lantern stairs change by less than ten percentage points", () => {
    expect(stuck(before, "lantern-stairs")).toBeGreaterThan(0.1);
    expect(Math.abs(stuck(after, "lantern-stairs") - stuck(before, "lantern-stairs"))).toBeLessThan(0.1);
  });

  test("the gardens get easier and low frame rates on the bridge more common, by more than ten percentage points", () => {
    expect(stuck(before, "gardens") - stuck(after, "gardens")).toBeGreaterThan(0.1);
    expect(stuck(after, "gardens")).toBeGreaterThan(0);
    expect(met(after, "fps_drop", "ash-bridge") - met(before, "fps_drop", "ash-bridge")).toBeGreaterThan(0.1);
    expect(met(before, "fps_drop", "ash-bridge")).toBeGreaterThan(0);
  });

  test("the observatory reports errors in the new build, and each build has one crash", () => {
    expect(met(before, "application_error")).toBe(0);
    expect(
      after.filter((session) => countEvents(session, "application_error", "observatory") > 0),
    ).toHaveLength(5);
    for (const sessions of [before, after]) {
      expect(sessions.filter((session) => countEvents(session, "crash_reported") > 0)).toHaveLength(1);
    }
  });

  test("nobody dies in the dock, and players complete it quickly", () => {
    expect(ember.every((session) => countEvents(session, "player_death", "dock") === 0)).toBe(true);
    expect(met(ember, "level_completed", "dock")).toBeGreaterThan(0.8);
  });
});

describe("the sessions", () => {
  test("have a death less than 30 s before a rage quit, but not before other endings", () => {
    for (const { events, first } of ember) {
      const death = events.findLast(({ name }) => name === "player_death")?.timestamp ?? 0;
      const rage = events.find(({ name }) => name === "rage_quit")?.timestamp;
      const end = events.at(-1)?.timestamp ?? first.startedAt;
      if (rage === undefined) expect(end - death).toBeGreaterThan(30_000);
      else expect(rage - death).toBeLessThan(30_000);
    }
  });

  test("have seconds and positions between two deaths", () => {
    for (const { events } of ember) {
      const deaths = events.flatMap(({ name, timestamp }, index) =>
        name === "player_death" ? [{ timestamp, index }] : [],
      );
      for (const [count, death] of deaths.slice(1).entries()) {
        const last = deaths[count] ?? death;
        expect(death.timestamp - last.timestamp).toBeGreaterThan(6_000);
        const steps = events.slice(last.index, death.index).filter(({ name }) => name === "player_pos");
        expect(steps.length).toBeGreaterThan(3);
      }
    }
  });

  test("have positions within their room, off any grid, about 1.5 s apart", () => {
    const rooms = new Map(Object.entries(emberRooms).map(([name, { bounds }]) => [name, bounds]));
    const places = ember.flatMap(({ events }) => events).filter(({ name }) => name === "player_pos");
    const distinct = new Set<string>();
    for (const { data } of places) {
      const bounds = rooms.get(String(data?.room));
      const [x, y] = [Number(data?.x), Number(data?.y)];
      if (bounds === undefined) expect.fail(`no room ${data?.room}`);
      if (x < bounds.xMin || x > bounds.xMax || y < bounds.yMin || y > bounds.yMax) expect.fail(`${x}, ${y}`);
      distinct.add(`${x} ${y}`);
    }
    expect(distinct.size).toBeGreaterThan(places.length * 0.999);
    const gaps = ember.flatMap(({ events }) =>
      events.flatMap((event, index) =>
        event.name === "player_pos" && events[index - 1]?.name === "player_pos"
          ? [event.timestamp - (events[index - 1]?.timestamp ?? 0)]
          : [],
      ),
    );
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    expect(mean).toBeGreaterThan(1400);
    expect(mean).toBeLessThan(1600);
  });

  test("have a heartbeat each minute, and a last snapshot that matches the events", () => {
    for (const session of ember) {
      const { events, first } = session;
      const beats = events.filter(({ name }) => name === "session_heartbeat");
      for (const [index, beat] of beats.entries()) {
        expect(Math.abs(beat.timestamp - first.startedAt - (index + 1) * 60_000)).toBeLessThan(1000);
      }
      const last = events.findLast(({ name }) => name === "session_summary");
      if (last === undefined) continue;
      expect(last.data).toMatchObject({
        wallSec: Math.round((last.timestamp - first.startedAt) / 1000),
        deaths: countEvents(session, "player_death"),
        room: events.findLast(({ name }) => name === "room_enter")?.data?.room,
      });
      expect(Number(last.data?.activeSec)).toBeLessThanOrEqual(Number(last.data?.wallSec));
    }
  });

  test("mostly end with a summary, except for four", () => {
    const open = ember.filter(({ bodies }) => !bodies.at(-1)?.sessionEnded);
    expect(open.every((session) => countEvents(session, "session_summary") === 0)).toBe(true);
    expect(open).toHaveLength(4);
  });
});

describe("Tidepool", () => {
  test("is a small game without positions, and its locks got easier", () => {
    const old = sessionsOf("tidepool", "1.1.0");
    const fresh = sessionsOf("tidepool", "1.2.0");
    expect(old.length + fresh.length).toBe(10);
    const stuckAtLocks = (sessions: readonly PlayedSession[]) =>
      shareOfTesters(sessions, (session) => countEvents(session, "level_failed", "06-kelp-locks") >= 5);
    expect(stuckAtLocks(old)).toBeGreaterThan(0.5);
    expect(stuckAtLocks(fresh)).toBe(0);
    const names = new Set([...old, ...fresh].flatMap(({ events }) => events.map(({ name }) => name)));
    expect([...names].toSorted()).toEqual([
      "hint_used",
      "level_completed",
      "level_failed",
      "level_started",
      "quit",
      "session_heartbeat",
      "session_summary",
    ]);
  });
});
