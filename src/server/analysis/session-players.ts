/** Divides a session between the players who share its device. docs/rules.md explains the definitions. */
import { readPlayer } from "../telemetry/event-names.ts";
import type { RecordedSession, SessionEvent } from "./recorded-session.ts";
import { type RoomPlay, readPlay, type SessionPlay } from "./session-play.ts";

/** With more names than this, they are no players who share a device, and count as one. */
const MAX_PLAYERS = 16;
/** Events of all parts together, which bounds the time of the analysis. Only hostile sessions have more. */
const MAX_PART_EVENTS = 1_000_000;

/** What one player did in a session. */
export interface PlayerPart {
  /** Null if the session is not divided. */
  readonly player: string | null;
  /** The session with the events that name the player and those that name none. */
  readonly session: RecordedSession;
  readonly play: SessionPlay;
  /** The time of the last event that names the player, unix ms; of the last event if the session is not divided. */
  readonly leftAt: number;
  /** The index in the whole session of each event of the part. */
  readonly indexes: readonly number[];
}

/** The parts of the players, in the order of their first events; one part for the whole session if it is not divided. */
export function dividePlayers(
  session: RecordedSession,
  play: SessionPlay,
  maxPartEvents: number = MAX_PART_EVENTS,
): readonly PlayerPart[] {
  const players = session.events.map(readEventPlayer);
  const names = new Set(players.filter((player) => player !== null));
  const unnamed = players.filter((player) => player === null).length;
  const partEvents = players.length + unnamed * (names.size - 1);
  if (names.size < 2 || names.size > MAX_PLAYERS || partEvents > maxPartEvents) {
    const leftAt = session.events.at(-1)?.timestamp ?? 0;
    return [{ player: null, session, play, leftAt, indexes: [...session.events.keys()] }];
  }
  return [...names].map((player) => readPart(session, players, player));
}

function readPart(whole: RecordedSession, players: readonly (string | null)[], player: string): PlayerPart {
  const indexes: number[] = [];
  const events: SessionEvent[] = [];
  const others: SessionEvent[] = [];
  let leftAt = 0;
  for (const [at, event] of whole.events.entries()) {
    const named = players[at] ?? null;
    if (named === player) leftAt = event.timestamp;
    if (named !== null && named !== player) others.push(event);
    else {
      events.push(event);
      indexes.push(at);
    }
  }
  const session = { ...whole, events, others };
  return { player, session, play: readPlay(session), leftAt, indexes };
}

/** The player that an event names; null if it names none. */
export const readEventPlayer = ({ data }: SessionEvent): string | null => readPlayer(data ?? undefined);

/**
 * The play of the whole session with the failures and successes of its players. Those of an event that names no player count
 * once.
 */
export function mergePlay(play: SessionPlay, parts: readonly PlayerPart[]): SessionPlay {
  if (parts.length === 1) return play;
  const merge = (name: string, read: (room: RoomPlay) => readonly number[]) => {
    const all = parts.flatMap(({ play: own, indexes }) => {
      const room = own.rooms.get(name);
      return room === undefined ? [] : read(room).map((at) => indexes[at] ?? at);
    });
    return [...new Set(all)].sort((a, b) => a - b);
  };
  const rooms = [...play.rooms].map(([name, room]): [string, RoomPlay] => [
    name,
    {
      ...room,
      failures: merge(name, ({ failures }) => failures),
      successes: merge(name, ({ successes }) => successes),
    },
  ]);
  return { ...play, rooms: new Map(rooms) };
}
