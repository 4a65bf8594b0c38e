import { describe, expect, test } from "vitest";
import {
  FRAME_BOUNDS_MS,
  FRAME_BUCKETS,
  findFrameTime,
  measureStutter,
} from "../../src/shared/frame-times.ts";

/** A histogram of frames by their times in ms. */
function count(...times: readonly (readonly [ms: number, frames: number])[]): number[] {
  const frames = new Array<number>(FRAME_BUCKETS).fill(0);
  for (const [ms, number] of times) {
    const found = FRAME_BOUNDS_MS.findIndex((bound) => ms <= bound);
    const at = found < 0 ? FRAME_BUCKETS - 1 : found;
    frames[at] = (frames[at] ?? 0) + number;
  }
  return frames;
}

describe("the frame time that a share of frames does not exceed", () => {
  test("lies in the bucket of that frame, and is even within it", () => {
    const frames = count([16, 95], [30, 5]);
    expect(findFrameTime(frames, 0.95)).toBeCloseTo(17);
    expect(findFrameTime(frames, 0.475)).toBeCloseTo(15.5);
    expect(findFrameTime(frames, 1)).toBeCloseTo(34);
  });

  test("is at most 500 ms, from 0 on, and unknown without frames", () => {
    expect(findFrameTime(count([900, 1]), 1)).toBe(500);
    expect(findFrameTime(count([1, 10]), 0.5)).toBe(2);
    expect(findFrameTime([], 0.95)).toBeNaN();
    expect(findFrameTime([0, 0], 0.95)).toBeNaN();
  });
});

test("stutter is the number of frames above 50 ms per minute of frames", () => {
  // 3871 frames of 15.5 ms are a minute.
  expect(measureStutter(count([16, 3871]))).toBe(0);
  expect(measureStutter(count([16, 3871], [50, 10]))).toBe(0);
  expect(measureStutter(count([16, 3871], [60, 2]))).toBeCloseTo(2, 1);
  expect(measureStutter([])).toBeNaN();
});
