/** The levels, testers and session plans of Tidepool. */
import type { DemoTester, SessionPlan } from "./plan-sessions.ts";

export interface TidepoolLevel {
  /** The room name in events. */
  readonly room: string;
  /** Typical time of a solution in seconds. */
  readonly parSec: number;
}

/** In order. */
export const tidepoolLevels: readonly TidepoolLevel[] = [
  { room: "01-shallows", parSec: 35 },
  { room: "02-first-shell", parSec: 50 },
  { room: "03-limpets", parSec: 70 },
  { room: "04-anemone", parSec: 90 },
  { room: "05-undertow", parSec: 110 },
  { room: "06-kelp-locks", parSec: 150 },
  { room: "07-moon-gate", parSec: 130 },
  { room: "08-low-tide", parSec: 160 },
];

export const tidepoolTesters: readonly DemoTester[] = [
  { key: "greta", handle: "greta.sol", platform: "macos", country: "DE" },
  { key: "koji", platform: "windows", country: "JP" },
  { key: "beatriz", handle: "bia", platform: "windows", country: "BR" },
  { key: "olive", handle: "olive_reads", platform: "linux", country: "US" },
  { key: "remy", platform: "macos", country: "FR" },
  { key: "tuva", platform: "windows", country: "NO" },
];

export interface TidepoolPlan extends SessionPlan {
  readonly build: "1.1.0" | "1.2.0";
  /** The first and the last level of the session, counted from 1. */
  readonly levels: readonly [number, number];
  /** Failures by level, counted from 1. Other levels have none. */
  readonly fails?: Readonly<Record<number, number>>;
  /** Set if the player gives up in the last level. */
  readonly quits?: true;
}

/** Oldest first. */
export const tidepoolPlans: readonly TidepoolPlan[] = [
  { build: "1.1.0", tester: "greta", daysAgo: 18.31, levels: [1, 6], fails: { 4: 1, 6: 6 }, quits: true },
  { build: "1.1.0", tester: "koji", daysAgo: 17.16, levels: [1, 5], fails: { 3: 1, 5: 2 } },
  { build: "1.1.0", tester: "beatriz", daysAgo: 15.63, levels: [1, 6], fails: { 6: 5 }, quits: true },
  { build: "1.1.0", tester: "koji", daysAgo: 14.49, levels: [6, 7], fails: { 6: 7 } },
  { build: "1.1.0", tester: "olive", daysAgo: 13.68, levels: [1, 4], fails: { 4: 1 } },
  { build: "1.1.0", tester: "remy", daysAgo: 12.14, levels: [1, 6], fails: { 5: 1, 6: 5 } },
  { build: "1.2.0", tester: "greta", daysAgo: 6.61, levels: [5, 8], fails: { 6: 2, 7: 1 } },
  { build: "1.2.0", tester: "tuva", daysAgo: 5.38, levels: [1, 6], fails: { 4: 2, 6: 1 } },
  { build: "1.2.0", tester: "olive", daysAgo: 3.52, levels: [4, 8], fails: { 7: 2, 8: 5 }, quits: true },
  { build: "1.2.0", tester: "remy", daysAgo: 1.57, levels: [6, 8], fails: { 6: 1, 8: 1 } },
];
