/** Histograms of frame times, as the clients send them in `performance` events. */

/** The upper bounds of the buckets in ms. The last bucket, which follows them, has none. */
export const FRAME_BOUNDS_MS = [4, 6, 8, 10, 12, 14, 17, 20, 25, 34, 42, 50, 67, 100, 250] as const;

/** The number of frames in each bucket. Buckets at the end that are empty may be missing. */
export type FrameHistogram = readonly number[];

export const FRAME_BUCKETS = FRAME_BOUNDS_MS.length + 1;

/** Frames that are longer than this are seen as stutter: the game shows fewer than 20 frames per second. In ms. */
export const STUTTER_MS = 50;

/** What the longest frames are counted as: twice the last bound, in ms. */
const LONGEST_MS = 500;

const FIRST_STUTTER = FRAME_BOUNDS_MS.findIndex((bound) => bound >= STUTTER_MS) + 1;

export function addFrames(total: number[], frames: FrameHistogram): void {
  for (const [at, count] of frames.entries()) total[at] = (total[at] ?? 0) + count;
}

export const countFrames = (frames: FrameHistogram): number =>
  frames.reduce((total, count) => total + count, 0);

const lowerBound = (bucket: number): number => FRAME_BOUNDS_MS[bucket - 1] ?? 0;
const upperBound = (bucket: number): number => FRAME_BOUNDS_MS[bucket] ?? LONGEST_MS;

/** The frame time in ms that a share of the frames does not exceed, from 0 to 1. Frames are even within a bucket. NaN without frames. */
export function findFrameTime(frames: FrameHistogram, share: number): number {
  let left = share * countFrames(frames);
  for (const [bucket, count] of frames.entries()) {
    if (count > 0 && left <= count)
      return lowerBound(bucket) + (left / count) * (upperBound(bucket) - lowerBound(bucket));
    left -= count;
  }
  return Number.NaN;
}

/** The stuttering frames per minute of play. The time of a bucket is that of its middle. NaN without frames. */
export function measureStutter(frames: FrameHistogram): number {
  let [ms, stutters] = [0, 0];
  for (const [bucket, count] of frames.entries()) {
    ms += (count * (lowerBound(bucket) + upperBound(bucket))) / 2;
    if (bucket >= FIRST_STUTTER) stutters += count;
  }
  return ms === 0 ? Number.NaN : stutters / (ms / 60_000);
}
