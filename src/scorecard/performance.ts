/** The rows about performance: frame times and stutter by room, load times and memory. */
import {
  addFrames,
  countFrames,
  type FrameHistogram,
  findFrameTime,
  measureStutter,
} from "../shared/frame-times.ts";
import { mean } from "../statistics/averages.ts";
import type { RoomPerformance, SessionFacts, TesterFacts } from "./facts.ts";

/** What a row is about: a room, a platform, or both; null if it is about neither. */
type Subject = string | null;

/** Sets the values of the sessions of a tester in some rows. */
type Measure = (
  play: { readonly sessions: readonly SessionFacts[] },
  set: (subject: Subject, value: number) => void,
  scope: { readonly performance: PerformanceScope },
) => void;

/** A tester with fewer frames in a room does not count there: five seconds at 60 frames per second. */
const MIN_FRAMES = 300;

/** The share of the frames of a tester that take at most the frame time of the row. */
const FRAME_SHARE = 0.95;

/**
 * What the rows are about. With several platforms, testers are only compared with those of their platform, because one build may
 * have more of them on faster devices.
 */
export interface PerformanceScope {
  readonly frames: ReadonlySet<Subject>;
  readonly loads: ReadonlySet<Subject>;
  readonly memory: ReadonlySet<Subject>;
  readonly hasPlatforms: boolean;
}

/** Finds what the rows are about. */
export function readPerformanceScope(testers: readonly TesterFacts[]): PerformanceScope {
  const platforms = new Set<string>();
  const measured: SessionFacts[] = [];
  for (const session of testers.flatMap(({ sessions }) => sessions)) {
    if (!session.performance) continue;
    platforms.add(session.performance.platform);
    measured.push(session);
  }
  const hasPlatforms = platforms.size > 1;
  const [frames, loads, memory] = [new Set<Subject>(), new Set<Subject>(), new Set<Subject>()];
  for (const session of measured) {
    for (const { ofRoom, ofAll, ...room } of readRooms(session, hasPlatforms)) {
      if (room.frames.length > 0) frames.add(ofRoom);
      if (room.loadMs !== null) loads.add(ofAll);
      if (room.memoryMb !== null) memory.add(ofAll);
    }
  }
  return { frames, loads, memory, hasPlatforms };
}

/** A room with the names of its rows: `dock` or `dock@windows`, and for all rooms together null or `windows`. */
interface NamedRoom extends RoomPerformance {
  readonly ofRoom: Subject;
  readonly ofAll: Subject;
}

function readRooms({ performance }: SessionFacts, hasPlatforms: boolean): NamedRoom[] {
  if (!performance) return [];
  const { platform, rooms } = performance;
  const ofAll = hasPlatforms ? platform : null;
  return rooms.map((one) => ({
    ...one,
    ofAll,
    ofRoom: one.room === null ? ofAll : hasPlatforms ? `${one.room}@${platform}` : one.room,
  }));
}

/** The measurements of a tester in each row. */
function groupRooms(
  sessions: readonly SessionFacts[],
  { hasPlatforms }: PerformanceScope,
  name: (room: NamedRoom) => Subject,
): Map<Subject, NamedRoom[]> {
  const groups = new Map<Subject, NamedRoom[]>();
  for (const room of sessions.flatMap((session) => readRooms(session, hasPlatforms))) {
    const subject = name(room);
    groups.set(subject, [...(groups.get(subject) ?? []), room]);
  }
  return groups;
}

/** Sets a value that is computed from all frames of a tester in a room. */
const measureFrames =
  (compute: (frames: FrameHistogram) => number): Measure =>
  ({ sessions }, set, { performance }) => {
    for (const [subject, rooms] of groupRooms(sessions, performance, ({ ofRoom }) => ofRoom)) {
      const total: number[] = [];
      for (const { frames } of rooms) addFrames(total, frames);
      if (countFrames(total) >= MIN_FRAMES) set(subject, compute(total));
    }
  };

/** Sets a value that is computed from one number of each room. */
const measureNumbers =
  (read: (room: RoomPerformance) => number | null, compute: (values: readonly number[]) => number): Measure =>
  ({ sessions }, set, { performance }) => {
    for (const [subject, rooms] of groupRooms(sessions, performance, ({ ofAll }) => ofAll)) {
      const values = rooms.flatMap((room) => read(room) ?? []);
      if (values.length > 0) set(subject, compute(values));
    }
  };

export const measureFrameTime = measureFrames((frames) => findFrameTime(frames, FRAME_SHARE));
export const measureStutters = measureFrames(measureStutter);

/** The mean over all rooms and sessions. */
export const measureLoadTime = measureNumbers(({ loadMs }) => loadMs, mean);

/** The most of all rooms and sessions. */
export const measureMemory = measureNumbers(
  ({ memoryMb }) => memoryMb,
  (values) => Math.max(...values),
);
