/** What a session did in its rooms, if several players share the device. docs/rules.md explains the definitions. */
import { type RoomOutcome, readRoomOutcomes, readTimedOutcomes, type TimedOutcome } from "./room-outcomes.ts";
import { measureRoomTimes, type RoomTime } from "./rules/room-times.ts";
import type { SessionPlay } from "./session-play.ts";
import type { PlayerPart } from "./session-players.ts";

interface PlayerOutcome extends TimedOutcome {
  readonly player: string | null;
  readonly leftAt: number;
}

/**
 * The outcome of each room that a session entered. Each player has their own visits, from the events that name the player and
 * those that name none. The session quit in a room if any player did, and no other one completed it afterwards.
 */
export function readSessionOutcomes(
  play: SessionPlay,
  parts: readonly PlayerPart[],
  crash: { readonly hasCrashed: boolean },
): RoomOutcome[] {
  const [first] = parts;
  if (first && parts.length === 1) return readRoomOutcomes(first.session.events, first.play, crash);
  const byRoom = new Map<string, PlayerOutcome[]>([...play.rooms.keys()].map((room) => [room, []]));
  for (const { player, leftAt, session, play: own } of parts) {
    for (const timed of readTimedOutcomes(session.events, own, crash))
      byRoom.get(timed.outcome.room)?.push({ ...timed, player, leftAt });
  }
  return [...byRoom.values()].flatMap((outcomes) => mergeOutcomes(outcomes));
}

function mergeOutcomes(players: readonly PlayerOutcome[]): RoomOutcome[] {
  const [first] = players;
  if (first === undefined) return [];
  const all = players.map(({ outcome }) => outcome);
  const quits = players.filter(
    ({ outcome, player, leftAt }) =>
      outcome.quit && !players.some((other) => other.player !== player && (other.completedAt ?? 0) > leftAt),
  );
  return [
    {
      room: first.outcome.room,
      afterMs: all.reduce((least, { afterMs }) => Math.min(least, afterMs), Number.POSITIVE_INFINITY),
      activeMs: all.reduce((most, { activeMs }) => Math.max(most, activeMs), 0),
      completed: all.some(({ completed }) => completed),
      failed: all.some(({ failed }) => failed),
      quit: quits.length > 0,
      gaveUp: quits.some(({ outcome }) => outcome.gaveUp),
    },
  ];
}

/**
 * The time in each named room of a session. Of several players, the time to success is that of the fastest one who succeeded, or
 * the longest without a success.
 */
export function measureSessionTimes(play: SessionPlay, parts: readonly PlayerPart[]): Map<string, RoomTime> {
  const times = parts.map(({ play: own }) => ({ own, byRoom: measureRoomTimes(own) }));
  const merged = [...play.rooms.keys()].flatMap((room): [string, RoomTime][] => {
    const all = times.flatMap(({ own, byRoom }) => {
      const time = byRoom.get(room);
      return time ? [{ ...time, succeeded: (own.rooms.get(room)?.successes.length ?? 0) > 0 }] : [];
    });
    if (all.length === 0) return [];
    const successful = all.filter(({ succeeded }) => succeeded).map(({ ms }) => ms);
    const ms = successful.length > 0 ? Math.min(...successful) : Math.max(...all.map((time) => time.ms));
    return [[room, { ms, longestMs: Math.max(...all.map(({ longestMs }) => longestMs)) }]];
  });
  return new Map(merged);
}
