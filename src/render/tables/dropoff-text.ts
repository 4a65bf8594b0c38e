/** What a drop-off shows, in words. */
import type { BuildDropoff, DropoffRoom } from "../../contract/dropoff.ts";
import { describeEnvironment } from "../../contract/fields.ts";
import { formatCount } from "../numbers.ts";

/** Where most testers quit, with the scope of the answer. */
export function describeDropoff({ game, version, environment, testers, rooms }: BuildDropoff): string {
  const where = describeEnvironment(environment);
  return `${game.name} ${version}, ${where}: ${formatCount(testers, "tester")}. ${describeMost(rooms)}`;
}

function describeMost(rooms: readonly DropoffRoom[]): string {
  const [most] = rooms;
  if (most === undefined || most.quit === 0) return "Nobody quit in a room.";
  return `Most quit in ${most.room}: ${most.quit} of ${most.entered} who entered it.`;
}

/** Why the counts may mislead, and what they do not include; empty if there is nothing to say. */
export function listDropoffNotes({ sessions, hasTimedSessions }: BuildDropoff): string[] {
  const { open, unanalyzed, failed } = sessions;
  const omitted = [
    ...(open > 0 ? [`${formatCount(open, "session")} not ended yet`] : []),
    ...(unanalyzed > 0 ? [`${formatCount(unanalyzed, "session")} not analyzed yet`] : []),
    ...(failed > 0 ? [`${formatCount(failed, "session")} whose analysis failed`] : []),
  ];
  return [
    ...(hasTimedSessions ? ["Most sessions are equally long. If a clock ended them, nobody quit."] : []),
    ...(omitted.length === 0 ? [] : [`Left out: ${omitted.join("; ")}.`]),
  ];
}

/** The number of rooms in which nobody quit, which tables leave out; empty if there are none. */
export function describeQuietRooms(count: number, shown: number): string[] {
  return count === 0 ? [] : [`Nobody quit in ${formatCount(count, shown === 0 ? "room" : "other room")}.`];
}

/** Why there are no rooms to show. `advice` says how to select another environment. */
export function describeNoRooms({ version, environment, sessions }: BuildDropoff, advice: string): string {
  const where = environment === "all" ? "" : ` in ${environment}`;
  const { open, analyzed, unanalyzed, failed } = sessions;
  if (open + analyzed + unanalyzed + failed === 0)
    return `Build ${version} has no sessions${where}. ${advice}`;
  return analyzed === 0
    ? `No session of build ${version}${where} has ended and been analyzed yet. Try again in a minute.`
    : `No tester of build ${version}${where} entered a room.`;
}
