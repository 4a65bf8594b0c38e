/** The verdict of a comparison in words, and its warnings. */
import type { Lead, VariantComparison } from "../../contract/experiments.ts";
import type { Style } from "../style.ts";
import { formatPoints, formatSignedRange } from "./experiment-metrics.ts";

const MIN_PLAYERS = 30;

export interface Verdict {
  readonly text: string;
  readonly style: Style;
  /** What limits the verdict. Null if nothing does. */
  readonly note: string | null;
}

export function describeVerdict(comparison: VariantComparison): Verdict {
  const { leader, lead } = comparison;
  if (lead) return describeLead(comparison, lead);
  // A service without `lead` reports only the leader.
  if (leader != null) {
    const text = `Variant ${nameVariant(comparison, leader)} leads: more of its players return on day 1.`;
    return { text, style: "good", note: null };
  }
  const fewest = countEligible(comparison);
  const text =
    fewest < MIN_PLAYERS
      ? `Not enough data: at least ${MIN_PLAYERS} players of each variant must have joined 2 or more days ago. The smallest variant has ${fewest}.`
      : "No variant leads.";
  return { text, style: "muted", note: null };
}

/** The players of the smallest variant whose return on day 1 is known. */
function countEligible({ variants }: VariantComparison): number {
  return Math.min(...variants.map(({ retention }) => retention.find(({ day }) => day === 1)?.eligible ?? 0));
}

function describeLead(comparison: VariantComparison, lead: Lead): Verdict {
  const { variant, over, delta, interval, guardrail, early } = lead;
  const gain = `${formatPoints(delta)} percentage points more of its players return on day 1 than in ${over} (${describeInterval(comparison)}: ${formatSignedRange(interval)})`;
  const bound = `${formatPoints(guardrail.upperBound)} points`;
  const limit = `(limit: ${formatPoints(guardrail.margin)})`;
  const name = nameVariant(comparison, variant);
  const note = early ? describeEarlyLead(lead) : null;
  if (guardrail.status === "safe") {
    const text = `Variant ${name} leads: ${gain}. Its crash rate is at most ${bound} higher ${limit}.`;
    return { text, style: "good", note };
  }
  const ahead = `No leader yet: variant ${name} is ahead, but`;
  return guardrail.status === "worse"
    ? {
        text: `${ahead} its sessions crash more often, by up to ${bound} ${limit}. ${gain}.`,
        style: "bad",
        note,
      }
    : {
        text: `${ahead} it is not known whether its sessions crash more often: its crash rate could still be up to ${bound} higher, and a leader needs less than ${formatPoints(guardrail.margin)}. ${gain}.`,
        style: "muted",
        note,
      };
}

/** With more than two variants, the interval of a lead is wider than those of the table of differences. */
const describeInterval = ({ variants }: VariantComparison) =>
  variants.length > 2 ? "interval, corrected for the number of variants" : "interval";

function describeEarlyLead({ interval }: Lead): string {
  return `The experiment does not have the players that it needs yet. Differences that are found early are too large on average, so plan with the lower end of the interval: ${formatPoints(interval.low)} points.`;
}

/** The key of a variant, and its name if it has one. */
function nameVariant({ variants }: VariantComparison, variantKey: string): string {
  const name = variants.find(({ key }) => key === variantKey)?.name;
  return name === undefined || name === variantKey ? variantKey : `${variantKey} (“${name}”)`;
}

export function listWarnings({ crossovers, sampleRatio }: VariantComparison): string[] {
  const crossoverWarnings = crossovers?.warning
    ? [`${formatCrossovers(crossovers.devices)} seen in more than one variant and excluded.`]
    : [];
  const ratioWarnings = sampleRatio?.warning
    ? [`the player counts do not match the allocation (p = ${sampleRatio.pValue.toPrecision(2)}).`]
    : [];
  return [...crossoverWarnings, ...ratioWarnings];
}

const formatCrossovers = (devices: number) => (devices === 1 ? "1 device was" : `${devices} devices were`);

/** Whether no variant has players, so that there is nothing to compare. */
export const hasNoPlayers = ({ variants }: VariantComparison) =>
  variants.every(({ sessionCount, playerCount }) => sessionCount === 0 && (playerCount ?? 0) === 0);

export const describeNoPlayers = (name: string) =>
  `Experiment ${name} has no players yet, so there is nothing to compare.`;
