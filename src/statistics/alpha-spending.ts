/**
 * Sequential looks: repeated tests while testers arrive, as the gate runs them. Each test is a chance for a false alarm, so
 * the tests share the significance level: the closer the number of testers is to the plan, the more of the level is spent.
 * A test may spend what earlier ones left, and the levels of all tests add up to the whole, so equal builds fail in at most
 * that share of cases even though the tests share data.
 *
 * K. K. G. Lan and D. L. DeMets, "Discrete Sequential Boundaries for Clinical Trials", Biometrika 70 (1983), with their
 * spending function of the O'Brien and Fleming type. The levels are added (Bonferroni) instead of integrated, because the
 * sessions of early testers change between runs.
 */
import { normalQuantile, normalTail } from "./normal.ts";

/** The parts of the plan after which a run tests the builds. More tests would spend the level on little new data. */
const LOOKS = 4;

/** What earlier runs did. */
export interface SpentLevel {
  /** Testers of build b at the last test. */
  readonly testers: number;
  /** Significance level of all tests so far. */
  readonly spent: number;
}

/** The significance level that all tests up to this number of testers may spend. */
export function spendingAt(testers: number, planned: number, level: number): number {
  const part = Math.min(1, testers / planned);
  if (part <= 0) return 0;
  return part === 1 ? level : 2 * normalTail(normalQuantile(1 - level / 2) / Math.sqrt(part));
}

/** How many of the planned tests are due with this number of testers. */
const dueLooks = (testers: number, planned: number) =>
  Math.min(LOOKS, Math.floor((LOOKS * testers) / planned));

/** The level of the test that is due, or null if none is. */
export function nextLevel(
  last: SpentLevel | null,
  testers: number,
  planned: number,
  level: number,
): number | null {
  const isDue = dueLooks(testers, planned) > (last === null ? 0 : dueLooks(last.testers, planned));
  return isDue ? Math.max(0, spendingAt(testers, planned, level) - (last?.spent ?? 0)) : null;
}

/** The number of testers at which the next test is due; null after the last one. */
export function nextLook(testers: number, planned: number): number | null {
  const done = dueLooks(testers, planned);
  return done >= LOOKS ? null : Math.ceil(((done + 1) * planned) / LOOKS);
}
