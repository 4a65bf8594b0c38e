/** What a drop-off shows, in words. */
import type { BuildDropoff, DropoffRoom } from "../../contract/dropoff.ts";
import { formatPValue } from "../../shared/p-value.ts";
import { formatCount } from "../numbers.ts";

/** How many sessions ended, and how many testers never came back. */
export function describeEnds({ game, version, environment, sessions, testers }: BuildDropoff): string {
  const where = environment === "all" ? "all environments" : environment;
  return `${game.name} ${version}, ${where}: ${formatCount(sessions.read, "ended session")} of ${formatCount(testers.read, "tester")}. ${testers.notBack} quit and have not come back so far.`;
}

/** Which rooms stand out, in words. */
export function describeRooms(rooms: readonly DropoffRoom[]): string {
  const standing = rooms.filter(({ standsOut }) => standsOut);
  if (standing.length > 0)
    return standing
      .map(
        ({ room, test }) =>
          `${room} stands out: ${test?.testersQuit} of ${test?.testersEntered} testers whose last session entered it quit there (p ${describePValue(test?.adjustedP ?? 1)}).`,
      )
      .join(" ");
  const tested = rooms.filter(({ test }) => test !== null && test !== undefined).length;
  if (tested === 0) return "No room can be tested: fewer than 5 testers entered each of them.";
  if (tested === 1)
    return "No room stands out: in the only tested room, testers do not quit more often than elsewhere by more than chance.";
  return `No room stands out: in none of the ${tested} tested rooms do testers quit more often than elsewhere by more than chance.`;
}

/** A p-value after `p`, such as `= 0.012` or `< 0.0001`. */
function describePValue(p: number): string {
  const value = formatPValue(p);
  return value.startsWith("<") ? value : `= ${value}`;
}

/** What the counts do not include; empty if they include everything. */
export function listLeftOut({ sessions }: BuildDropoff): string[] {
  const { open, withoutEvents, unreadable, skipped } = sessions;
  const omitted = [
    ...(open > 0 ? [`${open} open or not analyzed yet`] : []),
    ...(withoutEvents > 0 ? [`${withoutEvents} without stored events`] : []),
    ...(unreadable > 0 ? [`${unreadable} with damaged events`] : []),
    ...(skipped > 0 ? [`${skipped} older ones, because the build has too many events`] : []),
  ];
  return omitted.length === 0 ? [] : [`Left out: ${omitted.join("; ")}.`];
}

/** The number of rooms in which nobody quit, which tables leave out; empty if there are none. */
export function describeQuietRooms(count: number, shown: number): string[] {
  return count === 0 ? [] : [`Nobody quit in ${formatCount(count, shown === 0 ? "room" : "other room")}.`];
}

/** Why there are no rooms to show. `advice` says how to select another environment. */
export function describeNoRooms({ version, environment, sessions }: BuildDropoff, advice: string): string {
  const where = environment === "all" ? "" : ` in ${environment}`;
  const { total, open, withoutEvents, unreadable } = sessions;
  if (total === 0) return `Build ${version} has no sessions${where}. ${advice}`;
  if (open === total)
    return `No session of build ${version}${where} has ended and been analyzed yet. Try again in a minute.`;
  return `No session of build ${version}${where} can be read: ${withoutEvents + unreadable} of ${total} sessions have no readable events.`;
}
