/** The title of an analyzed session: where it ended, and how. */
import { NO_ROOM } from "../../shared/tags.ts";
import { formatCount } from "../../shared/words.ts";
import { inRoom } from "../insights/describe-tag.ts";
import { formatDuration, quote } from "../insights/wording.ts";
import type { RoomOutcome } from "./room-outcomes.ts";
import { MAX_ROOM_LENGTH } from "./rules/session-ending.ts";
import type { SessionPlay } from "./session-play.ts";

const MINUTE_MS = 60_000;

/** The last room that a session entered; null without one. */
export const findLastRoom = ({ visits }: SessionPlay): string | null =>
  visits.findLast(({ room }) => room !== NO_ROOM)?.room ?? null;

/**
 * What happened in a session, such as `Quit in furnace after 6 failures, 4m`: the failures are those in its last room, and the
 * time is that of active play. Null without events.
 */
export function formatSessionTitle(
  play: SessionPlay,
  outcomes: readonly RoomOutcome[],
  hasCrashed: boolean,
): string | null {
  const activeMs = play.activeMsAt.at(-1);
  if (activeMs === undefined) return null;
  const room = findLastRoom(play) ?? NO_ROOM;
  const count = play.rooms.get(room)?.failures.length ?? 0;
  const failures = count === 0 ? "" : ` after ${formatCount(count, "failure")}`;
  const outcome = outcomes.find((one) => one.room === room);
  return `${describeEnd(room, outcome, hasCrashed)}${failures}, ${formatPlayed(activeMs)}`;
}

function describeEnd(room: string, outcome: RoomOutcome | undefined, hasCrashed: boolean): string {
  const where = inRoom(room, MAX_ROOM_LENGTH);
  // The crash may have been in an earlier room.
  if (hasCrashed) return `Crashed, ended${where}`;
  // A room without a failure may be a hub. Only other sessions show whether it is.
  if (outcome?.quit && (outcome.failed || outcome.gaveUp)) return `Quit${where}`;
  return outcome?.completed ? `Completed ${quote(room, MAX_ROOM_LENGTH)}` : `Ended${where}`;
}

/** Active play in whole minutes, or in seconds if there is less than one. */
const formatPlayed = (ms: number): string =>
  formatDuration(ms < MINUTE_MS ? ms : Math.round(ms / MINUTE_MS) * MINUTE_MS);
