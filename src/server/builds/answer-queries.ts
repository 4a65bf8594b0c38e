/** Reads the ratings that the testers of a build gave in feedback forms. */
import type { Db } from "../db/schema.ts";
import type { BuildScope } from "./build-scope.ts";
import { streamSubmissions } from "./submission-queries.ts";

/** The ratings of one form field. */
export interface FieldRatings {
  readonly formId: string;
  readonly fieldId: string;
  /** The label of the field in the newest answer. */
  readonly label: string;
  /** The latest rating of each tester, from 1 to 5. */
  readonly byTester: ReadonlyMap<string, number>;
}

interface Collected extends FieldRatings {
  label: string;
  readonly byTester: Map<string, number>;
}

/** The latest rating of each tester of a build in each rating field that any tester answered, by form and field. */
export async function readRatings(db: Db, build: BuildScope): Promise<ReadonlyMap<string, FieldRatings>> {
  const ratings = new Map<string, Collected>();
  for await (const { tester, formId, responses } of streamSubmissions(db, build)) {
    for (const { fieldId, label, kind, value } of responses) {
      const rating = Number(value);
      if (kind !== "rating-1-5" || !Number.isInteger(rating) || rating < 1 || rating > 5) continue;
      const key = JSON.stringify([formId, fieldId]);
      const field = ratings.get(key) ?? { formId, fieldId, label, byTester: new Map() };
      field.label = label;
      field.byTester.set(tester, rating);
      ratings.set(key, field);
    }
  }
  return ratings;
}
