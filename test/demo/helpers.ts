/** Helpers for the demo tests: the bodies of one hour, grouped by session. */
import { type DemoBody, type DemoEvent, demoTelemetry } from "../../src/demo/index.ts";

/** A time within an hour, in unix ms. */
export const NOW = Date.UTC(2026, 2, 14, 15, 9, 26, 535);

export interface PlayedSession {
  readonly first: DemoBody;
  readonly bodies: readonly DemoBody[];
  readonly events: readonly DemoEvent[];
}

/** The items of each key, in their order. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}

/** The sessions of `demoTelemetry(now)`, in the order of their first bodies. */
export function playedSessions(now = NOW): PlayedSession[] {
  const byId = groupBy(demoTelemetry(now), (body) => body.clientSessionId);
  return [...byId.values()].flatMap((bodies) => {
    const [first] = bodies;
    return first === undefined ? [] : [{ first, bodies, events: bodies.flatMap(({ events }) => events) }];
  });
}

/** The sessions of a build in production. */
export function sessionsOf(game: string, build: string): PlayedSession[] {
  return playedSessions().filter(
    ({ first }) =>
      first.gameId === game &&
      first.environment === "production" &&
      first.sessionMetadata?.gameVersion === build,
  );
}

/** How many events of a name a session has, in one room or in all. */
export function countEvents({ events }: PlayedSession, name: string, room?: string): number {
  return events.filter((event) => event.name === name && (room === undefined || event.data?.room === room))
    .length;
}

/** The devices of these sessions. */
export function devicesOf(sessions: readonly PlayedSession[]): Set<string | undefined> {
  return new Set(sessions.map(({ first }) => first.deviceId));
}

/** The share of testers, 0 to 1, with a session that passes the test. */
export function shareOfTesters(
  sessions: readonly PlayedSession[],
  test: (session: PlayedSession) => boolean,
): number {
  return devicesOf(sessions.filter(test)).size / devicesOf(sessions).size;
}
