/**
 * Which testers could meet a friction tag. A tag about a room can only be met by testers who entered that room; every
 * other tag can be met by all testers.
 */
import { parseTag } from "./tags.ts";

/**
 * Rooms in tags are compared by this many characters. The kind of a tag shortens the name of a long room, so the tags
 * of one room share only the first characters: at least this many in every kind.
 */
const MAX_ROOM_LENGTH = 58;

/** Truncates the slug of a room to the length by which rooms are compared. */
export function truncateRoom(slug: string): string {
  return slug
    .slice(0, MAX_ROOM_LENGTH)
    .replace(/[\ud800-\udbff]$/, "")
    .replace(/-+$/, "");
}

/** What one session could meet, and which tags it has. */
export interface SessionTags {
  /** Rooms that the session entered, as `findTagRoom` returns them. */
  readonly rooms: readonly { readonly room: string }[];
  /** Friction tags of the session. */
  readonly tags: readonly string[];
}

/** The sessions of one tester. */
export interface TesterTags {
  readonly sessions: readonly SessionTags[];
}

/** All rooms that any of the testers entered. */
export function listRooms(testers: Iterable<TesterTags>): Set<string> {
  const rooms = new Set<string>();
  for (const { sessions } of testers) {
    for (const session of sessions) for (const { room } of session.rooms) rooms.add(room);
  }
  return rooms;
}

/**
 * The room that a tag is about, or null if it is not about a room. `rooms` has the rooms of all builds compared: a
 * location that no session entered is not a room, but for example the message of a crash.
 */
export function findTagRoom(tag: string, rooms: ReadonlySet<string>): string | null {
  const parsed = parseTag(tag);
  if (parsed?.scope !== "room" && parsed?.scope !== "frame-rate") return null;
  const room = truncateRoom(parsed.location);
  return rooms.has(room) ? room : null;
}

/**
 * Whether a session could meet a tag about `room`; null is a tag that is not about a room. A session that has the tag
 * could meet it, even if its list of rooms was truncated.
 */
export function isExposed(session: SessionTags, tag: string, room: string | null): boolean {
  return (
    room === null || session.rooms.some((entered) => entered.room === room) || session.tags.includes(tag)
  );
}

/** The number of testers who could meet a tag, and of those who have it. */
export interface ExposureCounts {
  readonly exposed: number;
  readonly withTag: number;
}

/** Counts the testers who could meet a tag about `room` in any of their sessions; null is a tag that is not about a room. */
export function countExposed(
  testers: Iterable<TesterTags>,
  tag: string,
  room: string | null,
): ExposureCounts {
  let exposed = 0;
  let withTag = 0;
  for (const { sessions } of testers) {
    if (sessions.some((session) => isExposed(session, tag, room))) exposed += 1;
    if (sessions.some((session) => session.tags.includes(tag))) withTag += 1;
  }
  return { exposed, withTag };
}
