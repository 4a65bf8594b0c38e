/** Builds the claims of findings from indexes of events. */
import { type Claim, MAX_CLAIM_IDS } from "../../../contract/claims.ts";
import { NO_ROOM } from "../../../shared/tags.ts";
import type { SessionEvent } from "../recorded-session.ts";
import type { Stretch } from "../session-play.ts";
import { msBetween } from "../visits.ts";

type ClaimOf<K extends Claim["kind"]> = Extract<Claim, { kind: K }>;

/** The id of the event at an index. */
export function eventId(events: readonly SessionEvent[], at: number): string {
  return events[at]?.id ?? "";
}

/** The ids of events, truncated to MAX_CLAIM_IDS, and the number of all. */
export function listIds(
  events: readonly SessionEvent[],
  positions: readonly number[],
): { ids: string[]; count: number } {
  return { ids: truncateList(positions).map((at) => eventId(events, at)), count: positions.length };
}

/** The first items and the last one, if there are more than MAX_CLAIM_IDS. */
export function truncateList<T>(items: readonly T[]): readonly T[] {
  if (items.length <= MAX_CLAIM_IDS) return items;
  return [...items.slice(0, MAX_CLAIM_IDS - 1), ...items.slice(-1)];
}

export function claimEvents(
  events: readonly SessionEvent[],
  positions: readonly number[],
): ClaimOf<"events"> {
  const names = truncateList(positions).map((at) => events[at]?.name ?? "");
  return { kind: "events", ...listIds(events, positions), names };
}

/** The events that a claim about all failures, successes or resets considers. Null is the session's start or end. */
interface Bounds {
  readonly from: number | null;
  readonly to: number | null;
}

/** Claims that these are all failures, successes or resets of a room between two events. */
export function claimAll(
  kind: "failures" | "successes" | "resets",
  events: readonly SessionEvent[],
  room: string | null,
  positions: readonly number[],
  { from, to }: Bounds,
): ClaimOf<"failures" | "successes" | "resets"> {
  return {
    kind,
    room,
    ...listIds(events, positions),
    from: from === null ? null : eventId(events, from),
    to: to === null ? null : eventId(events, to),
  };
}

export function claimInterval(
  events: readonly SessionEvent[],
  from: number,
  to: number,
): ClaimOf<"interval"> {
  return {
    kind: "interval",
    from: eventId(events, from),
    to: eventId(events, to),
    ms: msBetween(events, from, to),
  };
}

/** Claims the active time in a room between two events; null is the session's start or end. */
export function claimRoomTime(
  events: readonly SessionEvent[],
  room: string,
  ms: number,
  { from, to }: Bounds,
): ClaimOf<"room-time"> {
  return {
    kind: "room-time",
    room,
    ms,
    from: from === null ? null : eventId(events, from),
    until: to === null ? null : eventId(events, to),
  };
}

/** How a stretch ended, as the end of a sentence. */
export function describeStretchEnd({ success, isFirst }: Stretch): string {
  if (success === null) return isFirst ? "without a success" : "without another success";
  return isFirst ? "before the first success" : "before the next success";
}

/** Claims the active time in a stretch of play, and that its success is the only one in it. */
export function claimStretch(
  events: readonly SessionEvent[],
  room: string,
  ms: number,
  { from, success, isFirst }: Stretch,
): Claim[] {
  const bounds = { from, to: success };
  const isolated = claimAll("successes", events, room, success === null ? [] : [success], {
    ...bounds,
    from: isFirst ? null : from,
  });
  return [isolated, ...(room === NO_ROOM ? [] : [claimRoomTime(events, room, ms, bounds)])];
}
