/** What the gate could have noticed with the testers that it has, for the verdict. */

import {
  computePower,
  findEnoughTesters,
  findEnoughTestersB,
  findFailingTesters,
  REQUIRED_POWER,
  type TestedFamily,
  withEqualPlayTime,
} from "../statistics/power.ts";
import { DEFAULT_DETECT_POINTS, type GateConfig } from "./config.ts";
import type { JudgedPlay } from "./tag-counts.ts";
import type { GateDetection } from "./verdict.ts";

/** Measures the sensitivity of the gate. Null if the limit allows a new tag that affects `detectPoints` percent of testers. */
export function measureDetection(
  checked: TestedFamily,
  { detectPoints = DEFAULT_DETECT_POINTS }: GateConfig,
  { isClearlyLonger }: Pick<JudgedPlay, "isClearlyLonger">,
): GateDetection | null {
  if (checked.maxIncreasePoints >= detectPoints) return null;
  const share = detectPoints / 100;
  // Play that is longer by chance makes the gate a little less sensitive, which is no reason for an inconclusive verdict.
  const decisive = isClearlyLonger ? checked : withEqualPlayTime(checked);
  const sufficient = computePower(decisive, share) >= REQUIRED_POWER;
  return {
    testersB: findFailingTesters(checked),
    detectPoints,
    power: computePower(checked, share),
    sufficient,
    enoughTesters: sufficient ? null : findEnoughTesters(decisive, share),
    enoughTestersB: sufficient ? null : findEnoughTestersB(decisive, share),
  };
}
