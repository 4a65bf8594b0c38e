/**
 * Which testers could meet a friction tag. A tag about a room can only be met by testers who entered that room, and a tag
 * about the answers to a question only by testers who answered it. Every other tag can be met by all testers.
 */
import { slugify } from "./slugs.ts";
import { ANSWER_PREFIX, parseTag } from "./tags.ts";
import { trimEndOf } from "./trim.ts";

/**
 * Rooms in tags are compared by this many characters. The kind of a tag shortens the name of a long room, so the tags
 * of one room share only the first characters: at least this many in every kind.
 */
const MAX_ROOM_LENGTH = 58;
/** The same for the id of a form field, which follows a prefix in a tag. */
const MAX_QUESTION_LENGTH = MAX_ROOM_LENGTH - ANSWER_PREFIX.length;

/** The name of a room by which tags about it are found. Rooms whose names differ only in symbols share it. */
export const toTagRoom = (room: string): string => truncateRoom(slugify(room));

/** Truncates the slug of a room to the length by which rooms are compared. */
export const truncateRoom = (slug: string): string => truncateSlug(slug, MAX_ROOM_LENGTH);

function truncateSlug(slug: string, length: number): string {
  return trimEndOf(slug.slice(0, length).replace(/[\ud800-\udbff]$/, ""), "-");
}

/** What a tag is about, if only some testers could meet it: a room, or the answers to a question. */
export interface TagSubject {
  readonly kind: "room" | "question";
  readonly name: string;
}

/** What a tag is about; null if all testers could meet it. `rooms` is as for `findTagRoom`. */
export function findTagSubject(tag: string, rooms: ReadonlySet<string>): TagSubject | null {
  const question = findTagQuestion(tag);
  if (question !== null) return { kind: "question", name: question };
  const room = findTagRoom(tag, rooms);
  return room === null ? null : { kind: "room", name: room };
}

/** The question whose answers a tag is about, or null if it is about something else. */
export function findTagQuestion(tag: string): string | null {
  const parsed = parseTag(tag);
  return parsed?.scope === "answers" ? truncateSlug(parsed.location, MAX_QUESTION_LENGTH) : null;
}

/**
 * The room that a tag is about, or null if it is not about a room. `rooms` has the rooms of all builds compared: a
 * location that no session entered is not a room, but for example the message of a crash.
 */
export function findTagRoom(tag: string, rooms: ReadonlySet<string>): string | null {
  const room = parseTagRoom(tag);
  return room !== null && rooms.has(room) ? room : null;
}

/** What a tag is about if a room has that name, or null if it is not about a room in any case. */
export function parseTagRoom(tag: string): string | null {
  const parsed = parseTag(tag);
  return parsed?.scope === "room" || parsed?.scope === "frame-rate" ? truncateRoom(parsed.location) : null;
}
