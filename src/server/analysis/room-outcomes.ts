/** What a session did in each of its rooms: how far it got, and whether it quit there. */
import { EVENTS } from "../../shared/event-names.ts";
import { NO_ROOM } from "../../shared/tags.ts";
import type { SessionEvent } from "./recorded-session.ts";
import type { SessionPlay } from "./session-play.ts";
import { activeMsBetween, type Visit } from "./visits.ts";

export interface RoomOutcome {
  readonly room: string;
  /** Active time of the session when it first entered the room, in ms. */
  readonly afterMs: number;
  /** Active time in the room, in ms. */
  readonly activeMs: number;
  /** Whether a visit to the room had a success after which nothing in the visit failed or gave up. */
  readonly completed: boolean;
  readonly failed: boolean;
  /** Whether the session ended in the room without completing it in its last visit. */
  readonly quit: boolean;
  /** Whether a giving-up event ended it. */
  readonly gaveUp: boolean;
}

/** Reasons of an end that the player did not choose, or chose after everything was done. */
const OTHER_ENDS = new Set(["finished", "time-up"]);

/** An outcome, and when the room was completed last. */
export interface TimedOutcome {
  readonly outcome: RoomOutcome;
  /** Unix ms; null if it was not completed. */
  readonly completedAt: number | null;
}

/** The outcome of each room that a session entered, in the order of the first visits. */
export const readRoomOutcomes = (...input: Parameters<typeof readTimedOutcomes>): RoomOutcome[] =>
  readTimedOutcomes(...input).map(({ outcome }) => outcome);

/** The same with the times. */
export function readTimedOutcomes(
  events: readonly SessionEvent[],
  play: SessionPlay,
  { hasCrashed }: { readonly hasCrashed: boolean },
): TimedOutcome[] {
  const last = play.visits.at(-1);
  const mayQuit = !hasCrashed && !events.some(isOtherEnd);
  return [...play.rooms.values()].flatMap(({ name, visits, successes, failures, givingUp }) => {
    const [first, latest] = [visits[0], visits.at(-1)];
    if (name === NO_ROOM || first === undefined || latest === undefined) return [];
    const setbacks = [...failures, ...givingUp];
    const findCompletion = (visit: Visit) => {
      const success = successes.findLast((at) => isWithin(visit, at));
      const isUndone = success === undefined || setbacks.some((at) => at > success && isWithin(visit, at));
      return isUndone ? undefined : success;
    };
    const completions = visits.flatMap((visit) => findCompletion(visit) ?? []);
    const quit = mayQuit && last?.room === name && findCompletion(last) === undefined;
    const outcome: RoomOutcome = {
      room: name,
      afterMs: play.activeMsAt[first.entered] ?? 0,
      activeMs: latest.activeBeforeMs + activeMsBetween(play, latest.entered, latest.end),
      completed: completions.length > 0,
      failed: failures.length > 0,
      quit,
      gaveUp: quit && givingUp.some((at) => isWithin(last, at)),
    };
    return { outcome, completedAt: events[completions.at(-1) ?? -1]?.timestamp ?? null };
  });
}

const isWithin = ({ entered, end }: Visit, at: number) => at >= entered && at <= end;

function isOtherEnd({ name, data }: SessionEvent): boolean {
  const { reason } = data ?? {};
  return name === EVENTS.summary && typeof reason === "string" && OTHER_ENDS.has(reason);
}
