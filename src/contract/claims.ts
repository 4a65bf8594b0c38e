/**
 * Claims: what an insight states, in a form that can be recomputed from the events of its session. docs/rules.md
 * defines the terms. Event ids are those that the client sent; they are unique within a session.
 */
import * as z from "zod";
import { count } from "./fields.ts";

export const MAX_CLAIM_IDS = 100;

const eventId = z.string();
const ms = z.int().min(0).describe("ms");
const room = z.string().describe("Name of the room; `session` for events that name no room");
const roomOrAll = room.nullable().describe("Name of the room; null for all rooms");
const ids = z
  .array(eventId)
  .describe(
    `Event ids in order. Of more than ${MAX_CLAIM_IDS} events, the first ${MAX_CLAIM_IDS - 1} and the last one`,
  );
const from = eventId.nullable().describe("The first event that is considered; null for the session's start");
const to = eventId.nullable().describe("The last event that is considered; null for the session's end");
const total = count.describe("Number of all events, listed or not");

/** One claim of an insight. A later version of the service may add kinds; clients must ignore those they do not know. */
export const claim = z.discriminatedUnion("kind", [
  z
    .object({ kind: z.literal("events"), ids, names: z.array(z.string()), count: total })
    .describe("These events occurred in this order, with these names"),
  z
    .object({ kind: z.literal("failures"), room: roomOrAll, ids, count: total, from, to })
    .describe("These are all failures in the room between two events, both included"),
  z
    .object({ kind: z.literal("successes"), room: roomOrAll, ids, count: total, from, to })
    .describe("These are all successes in the room between two events, both included"),
  z
    .object({ kind: z.literal("resets"), room: roomOrAll, ids, count: total, from, to })
    .describe("These are all resets in the room between two events, both included"),
  z
    .object({ kind: z.literal("in-a-row"), room, ids, count: total })
    .describe(
      "Between the first and the last of these failures there is no other failure of the room, no success, success state, reset or giving-up event of any room, and, unless the room is `session`, no event that names another room",
    ),
  z
    .object({ kind: z.literal("interval"), from: eventId, to: eventId, ms })
    .describe("Time between two events"),
  z
    .object({ kind: z.literal("room-time"), room, ms, from, until: eventId.nullable() })
    .describe(
      "Active time in the room from an event up to another one; null for the session's start and end",
    ),
  z
    .object({ kind: z.literal("left"), room, at: eventId, nextRoom: z.string().nullable() })
    .describe(
      "The last event of the session that names the room, and the room that is named next; null if none is",
    ),
  z
    .object({ kind: z.literal("end"), at: eventId })
    .describe("The last event of the session that shows activity of the player"),
  z
    .object({
      kind: z.literal("usual-time"),
      room,
      build: z.string(),
      environment: z.string(),
      sessions: count,
      medianMs: z.number().min(0),
    })
    .describe("Median active time in the room, up to the first success, over other sessions of one build"),
  z
    .object({ kind: z.literal("first-try"), room, entered: eventId, success: eventId, ms })
    .describe("The first attempt in the room succeeded; the time from entering the room"),
  z
    .object({ kind: z.literal("idle"), room, from: eventId, to: eventId, ms })
    .describe("The game was idle between two events, and play resumed"),
  z
    .object({ kind: z.literal("still"), room, from: eventId, to: eventId, ms, inputs: count })
    .describe(
      "All positions between two events are in one spot; `inputs` is the number of other events of play",
    ),
  z
    .object({ kind: z.literal("frame-drops"), room, ids, count: total, lowestFps: z.number().nullable() })
    .describe("All frame rate drops in the room; the lowest rate in whole fps, null if none is reported"),
  z
    .object({ kind: z.literal("bugs"), location: z.string(), ids, crashes: count, errors: count })
    .describe("All crashes and errors at one location: a room, words of a message, `crash` or `error`"),
  z
    .object({ kind: z.literal("rating"), response: z.string(), value: z.int().min(1).max(5) })
    .describe("A tester's rating"),
  z
    .object({ kind: z.literal("quote"), source: z.string(), text: z.string() })
    .describe(
      "What a tester wrote or said: in a response (`resp_...`), a bug report (`bug_...`) or a sentence of the transcript",
    ),
  z
    .object({
      kind: z.literal("transcript"),
      sentences: count,
      happy: count,
      unhappy: count,
      confused: count,
    })
    .describe("Number of sentences in the transcript by sentiment"),
  z
    .object({ kind: z.literal("player"), player: z.string() })
    .describe("The other claims consider the events that name this player, and those that name none"),
  z
    .object({
      kind: z.literal("summary"),
      activeMs: ms.describe("Active time between the events, in ms"),
      wallMs: ms.describe("Time from the first to the last event, in ms"),
      rooms: count,
      roomsCompleted: count.describe("Rooms with a success"),
      failures: count,
      events: count,
    })
    .describe("Totals of the session"),
]);

export type Claim = z.output<typeof claim>;

/** The fields of claims that contain the id of an event. */
const ID_FIELDS = ["from", "to", "at", "until", "entered", "success"] as const;

/** The ids of all events that a claim refers to. */
export function listClaimedEvents(claimed: Claim): string[] {
  const fields = claimed as Readonly<Record<string, unknown>>;
  const single = ID_FIELDS.map((field) => fields[field]);
  const listed = Array.isArray(fields.ids) ? (fields.ids as unknown[]) : [];
  return [...listed, ...single].filter((id) => typeof id === "string");
}
