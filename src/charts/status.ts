/** The figures of one build that its status shows: its problems, quits, ratings, completed rooms and crashes. */
import type { Problem, Status } from "../contract/status.ts";
import type { FormField, ReadFacts } from "../scorecard/facts.ts";
import { type Figure, measureGroups } from "../scorecard/figures.ts";
import { METRICS } from "../scorecard/metrics.ts";
import { findWho, listProblems, type ProblemCounts } from "../scorecard/problems.ts";
import type { ScorecardRow } from "../scorecard/rows.ts";
import { describeRow } from "../scorecard/titled-rows.ts";
import { compareCompletion, shareOfAll } from "./scorecard.ts";

/** What the testers of a build did, over all of their play. */
export interface BuildFigures {
  readonly testers: number;
  /** Those of the most testers first. */
  readonly problems: readonly ProblemCounts[];
  readonly mostQuit: Status["mostQuit"];
  /** The mean points of each rating, and the testers who gave it. */
  readonly ratings: ReadonlyArray<{
    readonly field: FormField;
    readonly mean: number;
    readonly testers: number;
  }>;
  /** The share of entered rooms that were completed; null if none was. */
  readonly completed: number | null;
  /** Testers who had a crash; null if no tester has an analyzed session. */
  readonly crashes: number | null;
}

const SHOWN = new Set(["friction", "quit", "completion", "rating", "crash"]);

/** Measures a build in steps of a few milliseconds. */
export function measureBuild({ group, fields }: ReadFacts): BuildFigures {
  const [figures = []] = measureGroups(
    [group],
    METRICS.filter(({ name }) => SHOWN.has(name)),
  );
  const of = (name: string) => figures.filter(({ metric }) => metric.name === name);
  const byField = new Map(fields.map((field) => [field.field, field]));
  return {
    testers: group.testers.length,
    problems: listProblems(figures),
    mostQuit: findMostQuit(of("quit")),
    ratings: of("rating").flatMap(({ subject, value, total }) => {
      const field = byField.get(subject ?? "");
      return field === undefined || value === null ? [] : [{ field, mean: value, testers: total }];
    }),
    completed: shareOfAll(of("completion")) || null,
    crashes: of("crash")[0]?.count ?? null,
  };
}

function findMostQuit(figures: readonly Figure[]): Status["mostQuit"] {
  const [most] = figures.toSorted(
    (x, y) => (y.count ?? 0) - (x.count ?? 0) || (y.value ?? 0) - (x.value ?? 0),
  );
  if (most === undefined || most.subject === null || (most.count ?? 0) === 0) return null;
  return { room: most.subject, quit: most.count ?? 0, entered: most.total };
}

/**
 * The rating and the completed rooms of a build, beside those of the build before it as its scorecard has them. `rows` is null
 * without a scorecard.
 */
export function describeOutcomes(
  { ratings, completed }: BuildFigures,
  rows: readonly ScorecardRow[] | null,
): Pick<Status, "rating" | "completed"> {
  const [rating] = ratings.toSorted((x, y) => y.testers - x.testers);
  const row = rows?.find(({ metric }) => metric === `rating:${rating?.field.field}`);
  const compared = compareCompletion(rows ?? []);
  return {
    rating: rating
      ? { label: rating.field.label, now: row?.b.value ?? rating.mean, before: row?.a.value ?? null }
      : null,
    completed: compared
      ? { now: compared.b, before: compared.a, rooms: compared.rooms }
      : completed === null
        ? null
        : { now: completed, before: null, rooms: "all" },
  };
}

/** A problem in words. `titles` has the words of the service for tags. */
export function describeProblem(
  problem: ProblemCounts,
  build: Pick<BuildFigures, "testers">,
  titles: ReadonlyMap<string, string>,
): Omit<Problem, "sessions"> {
  const { id, testers, outOf } = problem;
  return {
    ...{ id, testers, outOf },
    title: describeRow(problem, titles),
    who: findWho(problem, build.testers),
  };
}
