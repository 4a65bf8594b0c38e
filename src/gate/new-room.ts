/**
 * The builds in which testers could meet a tag. In a build in which nobody entered the room of a tag, nobody could meet it,
 * so its share there is unknown, not 0%.
 */
import { MAX_HISTORY_SESSIONS } from "../contract/play-history.ts";
import { countWhoCouldMeet, findTagSubject, listSubjects, type TagSubject } from "../shared/tag-subjects.ts";
import type { GateBuild } from "./build-comparison.ts";
import { identifiedTesters } from "./matched-play.ts";

/** A room that nobody entered in the builds before. */
export interface NewRoom {
  readonly room: string;
  /** The first of the builds in which testers entered it. */
  readonly build: string;
  /** The builds before, the oldest first. There is at least one. */
  readonly before: readonly string[];
  /** Testers who entered the room in the first build, and those of them with the tag. */
  readonly entered: number;
  readonly withTag: number;
}

/** What a tag is about in these builds; null if all testers could meet it. */
export function findSubject(tag: string, builds: readonly GateBuild[]): TagSubject | null {
  return findTagSubject(tag, listSubjects(builds.flatMap(({ history }) => history ?? [])));
}

/** Why nobody in the build is known to have been able to meet the tag; null if somebody was. */
export function explainUnmet(build: GateBuild, tag: string, subject: TagSubject | null): string | null {
  if (subject === null || build.history === null) return null;
  if (countWhoCouldMeet(identifiedTesters(build.history), tag, subject).exposed > 0) return null;
  const isMet = countWhoCouldMeet(build.history, tag, subject).exposed > 0;
  const who = isMet ? "only sessions without a device ID" : "no tester";
  return subject.kind === "room" ? `${who} entered ${subject.name}` : `${who} answered the question`;
}

/** The room of the tag, if nobody entered it in the builds before the first one with a tester who did. */
export function findNewRoom(
  builds: readonly GateBuild[],
  tag: string,
  subject: TagSubject | null,
): NewRoom | null {
  if (subject?.kind !== "room") return null;
  const at = builds.findIndex((build) => !isSurelyUnmet(build, tag, subject));
  const first = builds[at];
  if (at < 1 || first === undefined || first.history === null) return null;
  const { exposed: entered, withTag } = countWhoCouldMeet(first.history, tag, subject);
  if (entered === 0) return null;
  const before = builds.slice(0, at).map(({ version }) => version);
  return { room: subject.name, build: first.version, before, entered, withTag };
}

/** Whether all sessions of the build are known, and nobody in them could meet the tag. */
function isSurelyUnmet({ history }: GateBuild, tag: string, subject: TagSubject): boolean {
  if (history?.every(({ sessions }) => sessions.length < MAX_HISTORY_SESSIONS) !== true) return false;
  return countWhoCouldMeet(history, tag, subject).exposed === 0;
}
