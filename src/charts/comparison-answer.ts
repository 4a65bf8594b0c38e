/** Answers in plain words whether a build is better or worse than the one before, using only what the data shows. */
import type { BuildComparison, ComparedBuild } from "../contract/builds.ts";
import { describeNoFriction, listUnanalyzed } from "./friction.ts";
import { isIncreaseForGate, type TestedChange, type TestedComparison } from "./tested-changes.ts";

/** Maximum number of problems that a sentence names. */
const MAX_NAMED = 3;

export interface ComparisonAnswer {
  readonly verdict: "worse" | "better" | "mixed" | "unclear";
  /** Texts of the service are not escaped. */
  readonly sentences: readonly string[];
}

/** The answer in a few sentences: the result, what changed, what could have been seen, ratings and completed rooms. */
export function answerComparison(data: BuildComparison, tested: TestedComparison): ComparisonAnswer {
  const worse = tested.changes.filter(({ result }) => result === "worse");
  const better = tested.changes.filter(({ result }) => result === "better");
  const forGate = tested.changes.filter(isIncreaseForGate);
  const verdict =
    worse.length > 0 ? (better.length > 0 ? "mixed" : "worse") : better.length > 0 ? "better" : "unclear";
  const isUnclear =
    verdict === "unclear" && tested.differentAnalyses === null && listUnanalyzed(data).length === 0;
  return {
    verdict,
    sentences: [
      describeResult(verdict, data, tested),
      ...(worse.length > 0 ? [describeChanges("More testers have", worse, data)] : []),
      ...(better.length > 0 ? [describeChanges("Fewer testers have", better, data)] : []),
      ...(forGate.length > 0 ? [describeChanges(FOR_GATE, forGate, data)] : []),
      ...(isUnclear ? [describeVisible(data, tested)] : []),
      ...tested.notes,
      ...describeOutcomes(data.buildA, data.buildB),
    ],
  };
}

/** Introduces changes that the gate may fail for although they are not clear in both directions. */
const FOR_GATE = "Larger than chance only if decreases are not tested, as in the gate";

function describeResult(
  verdict: ComparisonAnswer["verdict"],
  data: BuildComparison,
  { changes, differentAnalyses }: TestedComparison,
): string {
  const { buildA, buildB, diff } = data;
  const [a, b] = [buildA.version, buildB.version];
  const played = `(${countTesters(buildA.testersInBatch)} of ${a}, ${countTesters(buildB.testersInBatch)} of ${b})`;
  if (differentAnalyses !== null)
    return `It is not known whether ${b} is better or worse than ${a} ${played}: ${differentAnalyses}. Compare them again when the older analyses are redone.`;
  if (verdict === "worse") return `${b} is worse than ${a} ${played}.`;
  if (verdict === "better") return `${b} is better than ${a} ${played}.`;
  if (verdict === "mixed") return `${b} is worse than ${a} in some ways and better in others ${played}.`;
  if (diff.changes.length === 0) return describeNoFriction(data);
  const limit = changes.some(({ result }) => result === "unequal")
    ? "what chance and unequal play explain"
    : "chance";
  return `It is not clear whether ${b} is better or worse than ${a} ${played}: no difference is larger than ${limit}.`;
}

const countTesters = (count: number) => `${count} ${count === 1 ? "tester" : "testers"}`;

function describeChanges(
  intro: string,
  changes: readonly TestedChange[],
  { buildA, buildB }: BuildComparison,
): string {
  const named = changes.slice(0, MAX_NAMED).map(({ title, testersA, testersB, exposedA, exposedB }) => {
    const before = `${testersA} of ${exposedA} in ${buildA.version}`;
    return `${title} (${before}, ${testersB} of ${exposedB} in ${buildB.version})`;
  });
  const more = changes.length - named.length;
  return `${intro}: ${[...named, ...(more > 0 ? [`and ${more} more`] : [])].join("; ")}.`;
}

/** How large a problem must be to be noticed. */
function describeVisible(
  { buildB: { version } }: BuildComparison,
  { testersB, findSmallestVisible }: TestedComparison,
): string {
  const smallest = findSmallestVisible();
  return smallest === null
    ? `With so few testers, even a new problem that all testers of ${version} have could be chance.`
    : `A new problem must affect at least ${smallest} of the ${testersB} testers of ${version} to be noticed.`;
}

type BuildWithOutcomes = Pick<ComparedBuild, "version" | "outcomes">;

/** Ratings and completed rooms of both builds, without those that one of them lacks. */
export const describeOutcomes = (a: BuildWithOutcomes, b: BuildWithOutcomes): string[] => [
  ...describeRating(a, b),
  ...describeCompletion(a, b),
];

/** The rating with the most answers, if testers of both builds gave one. */
function describeRating(buildA: BuildWithOutcomes, buildB: BuildWithOutcomes): string[] {
  const ratings = buildA.outcomes?.ratings ?? [];
  for (const [at, a] of ratings.entries()) {
    const b = buildB.outcomes?.ratings[at];
    if (typeof a.mean !== "number" || typeof b?.mean !== "number") continue;
    const before = `${a.mean.toFixed(1)} in ${buildA.version} (${countTesters(a.testers)})`;
    return [
      `Average rating of “${a.label}”: ${before}, ${b.mean.toFixed(1)} in ${buildB.version} (${countTesters(b.testers)}).`,
    ];
  }
  return [];
}

/** The share of entered rooms that testers completed. */
function describeCompletion(buildA: BuildWithOutcomes, buildB: BuildWithOutcomes): string[] {
  const [a, b] = [formatCompletion(buildA), formatCompletion(buildB)];
  return a === null || b === null
    ? []
    : [`Testers completed ${a} rooms they entered in ${buildA.version} and ${b} in ${buildB.version}.`];
}

function formatCompletion({ outcomes }: BuildWithOutcomes): string | null {
  const { roomsEntered = 0, roomsCompleted = 0 } = outcomes?.completion ?? {};
  return roomsEntered === 0 ? null : `${roomsCompleted} of ${roomsEntered}`;
}
