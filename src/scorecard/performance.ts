/** The rows about performance, by room: frame times, stutter, load times and memory. */
import {
  addFrames,
  countFrames,
  type FrameHistogram,
  findFrameTime,
  measureStutter,
} from "../shared/frame-times.ts";
import { mean } from "../statistics/averages.ts";
import type { RoomPerformance, SessionFacts, TesterFacts } from "./facts.ts";

/** The room and platform of a row: `dock`, `dock@windows` or, without a room, `@windows`; null without both. */
type Subject = string | null;

/** Sets the values of the sessions of a tester in some rows. */
type Measure = (
  play: { readonly sessions: readonly SessionFacts[] },
  set: (subject: Subject, value: number) => void,
  scope: { readonly performance: PerformanceScope },
) => void;

/** A tester with fewer frames in a room does not count there: five seconds at 60 frames per second. */
export const MIN_FRAMES = 300;

/** The share of the frames of a tester that take at most the frame time of the row. */
const FRAME_SHARE = 0.95;

/** With fewer testers, a platform has no rows of its own. */
const MIN_PLATFORM_TESTERS = 5;

/** What the rows are about. */
export interface PerformanceScope {
  readonly frames: ReadonlySet<Subject>;
  readonly loads: ReadonlySet<Subject>;
  readonly memory: ReadonlySet<Subject>;
  /**
   * The platforms whose sessions count; all do if it is empty. Several have rows of their own, because one build may have more
   * testers on faster devices.
   */
  readonly platforms: ReadonlySet<string>;
}

/** Finds what the rows are about. */
export function readPerformanceScope(testers: readonly TesterFacts[]): PerformanceScope {
  const platforms = findPlatforms(testers);
  const [frames, loads, memory] = [new Set<Subject>(), new Set<Subject>(), new Set<Subject>()];
  for (const { sessions } of testers) {
    for (const { subject, ...room } of sessions.flatMap((session) => readRooms(session, platforms))) {
      if (room.frames.length > 0) frames.add(subject);
      if (room.loadMs !== null) loads.add(subject);
      if (room.memoryMb !== null) memory.add(subject);
    }
  }
  return { frames, loads, memory, platforms };
}

/** The platforms on which enough testers were measured. A tester in both groups counts once. */
function findPlatforms(testers: readonly TesterFacts[]): ReadonlySet<string> {
  const measured = new Map<string, Set<unknown>>();
  for (const one of testers) {
    for (const { performance } of one.sessions) {
      if (!performance) continue;
      const known = measured.get(performance.platform) ?? new Set();
      measured.set(performance.platform, known.add(one.tester ?? one));
    }
  }
  const common = [...measured].filter(([, { size }]) => size >= MIN_PLATFORM_TESTERS);
  return new Set(common.map(([platform]) => platform));
}

/** A room with the subject of its rows. */
interface NamedRoom extends RoomPerformance {
  readonly subject: Subject;
}

function readRooms({ performance }: SessionFacts, platforms: ReadonlySet<string>): NamedRoom[] {
  if (!performance) return [];
  const { platform, rooms } = performance;
  if (platforms.size > 0 && !platforms.has(platform)) return [];
  return rooms.map((one) => ({
    ...one,
    subject: platforms.size > 1 ? `${one.room ?? ""}@${platform}` : one.room,
  }));
}

/** The room and the platform of a row; null for those that it does not name. Names of rooms in tags have no `@`. */
export function parsePerformanceSubject(
  subject: Subject,
): Readonly<Record<"room" | "platform", string | null>> {
  const at = subject?.indexOf("@") ?? -1;
  if (subject === null || at === -1) return { room: subject, platform: null };
  return { room: subject.slice(0, at) || null, platform: subject.slice(at + 1) };
}

/** The measurements of a tester in each row. */
function groupRooms(
  sessions: readonly SessionFacts[],
  { platforms }: PerformanceScope,
): Map<Subject, NamedRoom[]> {
  const groups = new Map<Subject, NamedRoom[]>();
  for (const room of sessions.flatMap((session) => readRooms(session, platforms))) {
    const group = groups.get(room.subject);
    if (group) group.push(room);
    else groups.set(room.subject, [room]);
  }
  return groups;
}

/** Sets a value that is computed from all frames of a tester in a room. */
const measureFrames =
  (compute: (frames: FrameHistogram) => number): Measure =>
  ({ sessions }, set, { performance }) => {
    for (const [subject, rooms] of groupRooms(sessions, performance)) {
      const total: number[] = [];
      for (const { frames } of rooms) addFrames(total, frames);
      if (countFrames(total) >= MIN_FRAMES) set(subject, compute(total));
    }
  };

/** Sets the mean over the sessions of a tester in a room, which does not grow with their number as a maximum would. */
const measureMean =
  (read: (room: RoomPerformance) => number | null): Measure =>
  ({ sessions }, set, { performance }) => {
    for (const [subject, rooms] of groupRooms(sessions, performance)) {
      const values = rooms.flatMap((room) => read(room) ?? []);
      if (values.length > 0) set(subject, mean(values));
    }
  };

export const measureFrameTime = measureFrames((frames) => findFrameTime(frames, FRAME_SHARE));
export const measureStutters = measureFrames(measureStutter);
export const measureLoadTime = measureMean(({ loadMs }) => loadMs);
export const measureMemory = measureMean(({ memoryMb }) => memoryMb);
