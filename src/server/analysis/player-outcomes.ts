/** What a session did in its rooms, if several players share the device. docs/rules.md explains the definitions. */
import { readPlayer } from "../telemetry/event-names.ts";
import type { RecordedSession, SessionEvent } from "./recorded-session.ts";
import { type RoomOutcome, readRoomOutcomes, readTimedOutcomes, type TimedOutcome } from "./room-outcomes.ts";
import { readPlay, type SessionPlay } from "./session-play.ts";

/** With more names than this, they are no players who share a device, and count as one. */
const MAX_PLAYERS = 16;

interface PlayerOutcome extends TimedOutcome {
  readonly player: string;
  /** The time of the last event that names the player, unix ms. */
  readonly leftAt: number;
}

/**
 * The outcome of each room that a session entered. Each player has their own visits, from the events that name the player and
 * those that name none. The session quit in a room if any player did, and no other one completed it afterwards.
 */
export function readSessionOutcomes(
  session: RecordedSession,
  play: SessionPlay,
  crash: { readonly hasCrashed: boolean },
): RoomOutcome[] {
  const players = listPlayers(session.events);
  if (players.size < 2 || players.size > MAX_PLAYERS) return readRoomOutcomes(session.events, play, crash);
  const byRoom = new Map<string, PlayerOutcome[]>([...play.rooms.keys()].map((room) => [room, []]));
  for (const [player, leftAt] of players) {
    const events = session.events.filter(({ data }) => (readPlayer(data ?? undefined) ?? player) === player);
    for (const timed of readTimedOutcomes(events, readPlay({ ...session, events }), crash))
      byRoom.get(timed.outcome.room)?.push({ ...timed, player, leftAt });
  }
  return [...byRoom.values()].flatMap((outcomes) => mergeOutcomes(outcomes));
}

/** The players that events name, each with the time of the last one. */
function listPlayers(events: readonly SessionEvent[]): Map<string, number> {
  const players = new Map<string, number>();
  for (const { data, timestamp } of events) {
    const player = readPlayer(data ?? undefined);
    if (player !== null) players.set(player, timestamp);
  }
  return players;
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
