/** The scorecards of an experiment: friction, quits and ratings of the players of each variant, against those of the first one. */
import type { VariantScorecard } from "../../contract/experiments.ts";
import { DEFAULT_MIN_ANALYZED } from "../../gate/config.ts";
import { compareBuildFacts } from "../../scorecard/build-scorecard.ts";
import type { ReadFacts } from "../../scorecard/facts.ts";
import { DEFAULT_OPTIONS } from "../../scorecard/options.ts";
import type { ScorecardOptions } from "../../scorecard/scorecard.ts";
import { rankRows, titleRow } from "../../scorecard/titled-rows.ts";
import { computeLookLevel } from "../../statistics/confidence-sequence.ts";
import { createPlainReader, readGroupOfSessions } from "../builds/facts-queries.ts";
import type { Db } from "../db/schema.ts";
import { describeTag, type QuestionsByTag } from "../insights/describe-tag.ts";

export interface ExposedPlayers {
  readonly key: string;
  /** Their exposed sessions. Those of one player are in the order of recordedAt. */
  readonly sessionIds: readonly string[];
}

/** What the rows are about. The comparison has other metrics for everything else, such as its crash rate. */
const METRIC_NAMES: readonly string[] = ["friction", "quit", "completion", "rating", "yes"];
/** The families that share the level. */
const FAMILIES = ["friction", "quits"] as const;
/**
 * The probability with which any number of looks may find any row of a family worse if the variants are equal. Together with
 * the primary metric and the guardrail, less than 5% of experiments stop wrongly (`npm run bench -- scorecard`).
 */
const FAMILY_ALPHA = 0.04;

/**
 * The lowest level, which only a few players have. Smaller ones have no quantile in floating point, and the test of so few
 * players has no p-value as small.
 */
const LEAST_LEVEL = 1e-12;

/** Reads what the players of each variant did, and compares those of the first variant with those of each other one. */
export async function scoreVariants(
  db: Db,
  variants: readonly ExposedPlayers[],
  {
    gameId,
    questions,
    now,
  }: { readonly gameId: string; readonly questions: QuestionsByTag; readonly now: number },
): Promise<{ readonly scorecards: VariantScorecard[]; readonly shipBlocker: string | null }> {
  const groups: ReadFacts[] = [];
  for (const { key, sessionIds } of variants) {
    groups.push(await readGroupOfSessions(db, { gameId, version: key, sessionIds }, createPlainReader(now)));
  }
  const [control, ...others] = groups;
  const scorecards: VariantScorecard[] = [];
  if (control !== undefined)
    for (const group of others) scorecards.push(compareGroups(control, group, others.length, questions));
  return { scorecards, shipBlocker: findUnanalyzed(groups) };
}

function compareGroups(
  control: ReadFacts,
  group: ReadFacts,
  comparisons: number,
  questions: QuestionsByTag,
): VariantScorecard {
  const players = control.group.testers.length + group.group.testers.length;
  const options = chooseOptions(players, comparisons);
  const { rows, fields } = compareBuildFacts(control, group, options);
  const tags = rows.flatMap(({ name, subject }) =>
    name === "friction" && subject !== null ? [subject] : [],
  );
  const titles = new Map([
    ...fields.map(({ field, label }) => [field, label] as const),
    ...tags.map((tag) => [tag, describeTag(tag, questions).label] as const),
  ]);
  const shown = rows.filter(({ name }) => METRIC_NAMES.includes(name));
  return {
    variant: group.version,
    baseline: control.version,
    level: options.level / FAMILIES.length,
    rows: rankRows(shown.map((row) => titleRow(row, { titles, kinds: new Map() }))).map(
      ({ kind: _, ...row }) => row,
    ),
  };
}

/** The options of a scorecard of this many players, which is looked at repeatedly. */
export function chooseOptions(players: number, comparisons: number): ScorecardOptions {
  const level = Math.max(
    LEAST_LEVEL,
    players === 0 ? 0 : computeLookLevel(players, FAMILY_ALPHA / comparisons),
  );
  return { ...DEFAULT_OPTIONS, families: FAMILIES, level: level * FAMILIES.length };
}

/** Why play that is not analyzed keeps a variant from being shipped; null if enough is. */
function findUnanalyzed(groups: readonly ReadFacts[]): string | null {
  const count = (state: "analyzed" | "unanalyzed" | "failed") =>
    groups.reduce((total, { sessions }) => total + sessions[state], 0);
  const unanalyzed = count("unanalyzed") + count("failed");
  const ended = count("analyzed") + unanalyzed;
  return (100 * unanalyzed) / Math.max(1, ended) > 100 - DEFAULT_MIN_ANALYZED
    ? `${unanalyzed} of ${ended} sessions are not analyzed yet`
    : null;
}
