/** The verdict of an experiment: to ship a variant, to stop, or to keep running, and why. */
import type {
  ExperimentStatus,
  ExperimentVerdict,
  GuardResult,
  VariantScorecard,
  VerdictDecision,
} from "../../contract/experiments.ts";
import { MIN_PLAYERS } from "../../statistics/confidence-sequence.ts";
import { checkGuard, comparePrimary, computeMargin, findLead } from "./lead.ts";
import { PRIMARY_METRIC, type VariantRates } from "./metrics.ts";
import { MIN_DIFFERENCE, planPlayers } from "./needed-players.ts";

/** What a verdict is made of. */
export interface VerdictInput {
  /** The first one is the control. */
  readonly variants: readonly VariantRates[];
  /** One for each variant but the control. */
  readonly scorecards: readonly VariantScorecard[];
  /** Why the figures cannot be used; null if they can. */
  readonly blocker: string | null;
  /** Why nothing can be shipped yet although its figures are good; null if it can. */
  readonly shipBlocker: string | null;
  /** The largest increase of the crash rate that does not matter, from 0 to 1; null for the default. */
  readonly crashMargin: number | null;
  readonly status: ExperimentStatus;
}

type Decided = Pick<ExperimentVerdict, "variant" | "reason"> & { readonly decision: VerdictDecision };

/** Decides about an experiment as it stands. */
export function decideVerdict(input: VerdictInput): ExperimentVerdict {
  const { variants, crashMargin, status } = input;
  const [control, ...others] = variants;
  const guards = control ? others.map((variant) => checkGuard(control, variant, crashMargin)) : [];
  const found = findLead(variants);
  const { isEarly, ...plan } = planPlayers(variants, { lead: found, guards });
  const lead = found === null || input.blocker !== null ? null : { ...found, early: isEarly };
  const { reason, ...decided } = decide(input, { lead, guards });
  const isOver = status === "stopped" && decided.decision === "keep running";
  return { ...decided, reason: isOver ? `it stopped too early: ${reason}` : reason, lead, guards, ...plan };
}

function decide(
  { variants, scorecards, blocker, shipBlocker }: VerdictInput,
  { lead, guards }: Pick<ExperimentVerdict, "lead" | "guards">,
): Decided {
  const [control, ...others] = variants;
  const keepRunning = (reason: string, variant: string | null = null): Decided => ({
    ...{ decision: "keep running", variant, reason },
  });
  if (control === undefined) return keepRunning("it has no variants");
  const stop = (reason: string): Decided => ({ decision: "stop", variant: control.key, reason });
  if (blocker !== null) return keepRunning(blocker);
  const flaws = others.map(({ key }) => describeFlaws(key, scorecards, guards));
  const isBehind = (variant: VariantRates) =>
    (comparePrimary(variant, control, variants.length)?.low ?? 0) > 0;
  const known = flaws.filter((flaw) => flaw !== null);
  if (others.every((variant, at) => flaws[at] !== null || isBehind(variant)))
    return stop(known.length === 0 ? `${control.key} leads` : known.join("; "));
  const ahead = others.findIndex(({ key }) => key === lead?.variant);
  const leader = others[ahead]?.key;
  if (leader !== undefined) {
    const leads = (but: string) => keepRunning(`${leader} leads, ${but}`, leader);
    if (flaws[ahead] != null) return leads(`but ${flaws[ahead]}`);
    if (lead?.early) return leads("too few players to ship");
    if (guards[ahead]?.safe !== true) return leads("but more crashes are not ruled out");
    if (shipBlocker !== null) return leads(`but ${shipBlocker}`);
    return { decision: "ship", variant: leader, reason: `${leader} leads, and nothing speaks against it` };
  }
  const fewest = Math.min(...variants.map(({ rates }) => rates[PRIMARY_METRIC].players));
  if (fewest < MIN_PLAYERS)
    return keepRunning(
      `the smallest variant has ${fewest} ${fewest === 1 ? "player" : "players"} who joined 2 or more days ago, ${MIN_PLAYERS} are needed`,
    );
  const isWorthless = (variant: VariantRates) =>
    (comparePrimary(control, variant, variants.length)?.high ?? 1) < MIN_DIFFERENCE;
  if (others.every((variant, at) => flaws[at] !== null || isBehind(variant) || isWorthless(variant)))
    return stop(["no variant brings back 5 points more players", ...known].join("; "));
  return keepRunning(["no variant leads", ...known].join("; "));
}

/** A sentence names this many rows. */
const MAX_NAMED = 2;

/** In what a variant is worse than the control by more than its margin; null if in nothing. */
function describeFlaws(
  key: string,
  scorecards: readonly VariantScorecard[],
  guards: readonly GuardResult[],
): string | null {
  const rows = scorecards.find(({ variant }) => variant === key)?.rows ?? [];
  const names = [
    ...guards
      .filter((guard) => guard.variant === key && guard.status === "worse" && !guard.safe)
      .map(() => "Crashes"),
    ...rows
      .filter(({ family, decides }) => decides && GUARD_FAMILIES.includes(family))
      .filter(
        ({ status, difference, a }) => status === "worse" && (difference ?? 1) > computeMargin(a.value ?? 0),
      )
      .map(({ title }) => title),
  ];
  if (names.length === 0) return null;
  const more = names.length - MAX_NAMED;
  return `${key} is worse: ${names.slice(0, MAX_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The families of rows in which a variant must not be worse. */
export const GUARD_FAMILIES: readonly string[] = ["friction", "quits"];
