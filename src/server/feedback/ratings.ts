/** How the answers to ratings and yes or no questions are distributed, by question and build. */
import type { RatingDistribution } from "../../contract/feedback.ts";
import type { RatedSubmission } from "./list-queries.ts";

/** The values that are counted, by the kind of the field. */
const countedValues: Readonly<Record<string, readonly string[]>> = {
  "rating-1-5": ["1", "2", "3", "4", "5"],
  "yes-no": ["yes", "no"],
};

interface Distribution extends Omit<RatingDistribution, "testers" | "mean" | "byValue"> {
  readonly testers: Set<string>;
  readonly counts: Map<string, number>;
  answers: number;
}

/**
 * Counts answers from submissions, newest first, so that names and questions are those of the newest answer. Returns the
 * distributions by form, question and build, in the order in which they first occur, and the number of submissions.
 */
export async function countRatings(
  submissions: AsyncIterable<RatedSubmission>,
): Promise<{ ratings: RatingDistribution[]; submissions: number }> {
  const byQuestion = new Map<string, Map<string, Distribution>>();
  let read = 0;
  for await (const { formId, formName, build, tester, responses } of submissions) {
    read += 1;
    for (const { fieldId, label, kind, value } of responses) {
      const values = Object.hasOwn(countedValues, kind) ? countedValues[kind] : undefined;
      if (!values?.includes(value)) continue;
      const key = JSON.stringify([formId, fieldId, kind]);
      const byBuild = byQuestion.get(key) ?? new Map<string, Distribution>();
      byQuestion.set(key, byBuild);
      const counts = new Map(values.map((counted) => [counted, 0]));
      const distribution = byBuild.get(build) ?? {
        ...{ formId, formName, fieldId, label, kind, build, answers: 0 },
        ...{ testers: new Set<string>(), counts },
      };
      byBuild.set(build, distribution);
      distribution.answers += 1;
      distribution.testers.add(tester);
      distribution.counts.set(value, (distribution.counts.get(value) ?? 0) + 1);
    }
  }
  const all = [...byQuestion.values()].flatMap((byBuild) => [...byBuild.values()]);
  return { ratings: all.map(toRatingDistribution), submissions: read };
}

function toRatingDistribution({ testers, counts, ...rest }: Distribution): RatingDistribution {
  const sum = [...counts].reduce((total, [value, count]) => total + Number(value) * count, 0);
  return {
    ...rest,
    testers: testers.size,
    byValue: Object.fromEntries(counts),
    mean: rest.kind === "rating-1-5" ? sum / rest.answers : null,
  };
}
