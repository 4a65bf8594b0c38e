/** Reads the answers that the testers of a build gave in feedback forms: ratings, and who answered each question. */
import { listAnswered } from "../../shared/answered-questions.ts";
import type { Db } from "../db/schema.ts";
import { streamSubmissions } from "../feedback/submission-queries.ts";
import type { BuildScope } from "./build-queries.ts";

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

/** The answers that the testers of a build gave. */
export interface BuildAnswers {
  /** The latest rating of each tester in each rating field that any tester answered, by form and field. */
  readonly ratings: ReadonlyMap<string, FieldRatings>;
  /** The testers who answered each question, by its name in tags. */
  readonly answeredBy: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads all answers of a build. */
export async function readAnswers(
  db: Db,
  { gameId, version: build, environment: env }: BuildScope,
): Promise<BuildAnswers> {
  const ratings = new Map<string, Collected>();
  const answeredBy = new Map<string, Set<string>>();
  for await (const { tester, formId, responses } of streamSubmissions(db, gameId, { build, env })) {
    for (const question of listAnswered(responses)) {
      const testers = answeredBy.get(question) ?? new Set();
      answeredBy.set(question, testers.add(tester));
    }
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
  return { ratings, answeredBy };
}
