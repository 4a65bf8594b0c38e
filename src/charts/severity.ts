/** Orders the changes between two builds by how bad they are. `builds compare` and suggestions use this order. */
import { type ChangeResult, isIncreaseForGate, type TestedChange } from "./tested-changes.ts";

/** What the tests show, worst first. */
const severities: readonly ChangeResult[] = ["worse", "unequal", "unclear", "untested", "better"];

/**
 * Orders changes: those that are worse, as the gate finds it, then those that may be, then the others. Among
 * changes with the same result, increases come before decreases. The rest of the order is that of the service: by the
 * change of the share of all testers, the largest first.
 */
export function rankBySeverity(changes: readonly TestedChange[]): TestedChange[] {
  return changes.toSorted((x, y) => rank(x) - rank(y) || Number(isDecrease(x)) - Number(isDecrease(y)));
}

const isDecrease = ({ difference, deltaPct }: TestedChange) => (difference ?? deltaPct) < 0;

/** The gate tests increases alone, so it finds a few that the two-sided test does not. */
const rank = (change: TestedChange) => (isIncreaseForGate(change) ? 0.5 : severities.indexOf(change.result));
