/** What the gate could have noticed with the testers that it has, for the verdict. */
import { DEFAULT_DETECT_POINTS, type GateConfig } from "./config.ts";
import {
  type CheckedTags,
  computePower,
  findEnoughTesters,
  findEnoughTestersB,
  findFailingTesters,
  REQUIRED_POWER,
  withEqualPlayTime,
} from "./detection.ts";
import type { GateDetection } from "./verdict.ts";

/** Measures the sensitivity of the gate. Null if the limit allows a new tag that affects `detectPoints` percent of testers. */
export function measureDetection(
  checked: CheckedTags,
  { detectPoints = DEFAULT_DETECT_POINTS }: GateConfig,
): GateDetection | null {
  if (checked.maxIncreasePoints >= detectPoints) return null;
  const share = detectPoints / 100;
  const power = computePower(withEqualPlayTime(checked), share);
  const isEnough = power >= REQUIRED_POWER;
  return {
    testersB: findFailingTesters(checked),
    detectPoints,
    power,
    enoughTesters: isEnough ? null : findEnoughTesters(checked, share),
    enoughTestersB: isEnough ? null : findEnoughTestersB(checked, share),
  };
}
