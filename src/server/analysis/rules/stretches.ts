/** Words and claims for a stretch of play in a room. */

import type { Claim } from "../../../contract/claims.ts";
import { NO_ROOM } from "../../../shared/tags.ts";
import type { SessionEvent } from "../recorded-session.ts";
import type { Stretch } from "../session-play.ts";
import { claimAll, claimRoomTime } from "./claims.ts";

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
