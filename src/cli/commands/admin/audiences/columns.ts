/** The columns of audiences. */
import { toColumns } from "../../../../render/tables/resource-columns.ts";
import type { AudienceRow } from "../../../../server/db/schema.ts";
import { type Predicate, parsePredicates } from "../../../../server/experiments/audiences.ts";

/** An audience in the output of commands. */
export interface Audience {
  readonly id: string;
  readonly gameId: string;
  readonly name: string;
  readonly predicates: readonly Predicate[];
  /** Unix ms. */
  readonly createdAt: number;
}

export function toAudience(row: AudienceRow): Audience {
  const { id, name, game_id: gameId, created_at: createdAt } = row;
  return { id, gameId, name, predicates: parsePredicates(row.predicates), createdAt };
}

export const audienceColumns = toColumns<Audience>({
  columns: {
    id: { header: "ID", tone: "strong" },
    name: { header: "NAME", shrink: 2 },
    predicates: {
      header: "CONDITION",
      value: ({ predicates }) => describePredicates(predicates),
      shrink: 1,
    },
    createdAt: { header: "CREATED", kind: "time" },
  },
});

/** The conditions in words: fields are joined with "and", the values of one field with "or". */
function describePredicates(predicates: readonly Predicate[]): string {
  const byField = new Map<string, string[]>();
  for (const { field, op, values } of predicates) {
    const words = values.map((value) => (op === "in" ? value : `${value}*`));
    byField.set(field, [...(byField.get(field) ?? []), ...words]);
  }
  const joinWords = (words: readonly string[]) =>
    words.length > 1 ? `(${words.join(" or ")})` : words.join("");
  return [...byField].map(([field, words]) => `${field} ${joinWords(words)}`).join(" and ");
}
