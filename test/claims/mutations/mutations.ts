/** Mutations of the analysis that make it state falsehoods. Each replaces a text that occurs exactly once in its file. */

export interface Mutation {
  /** Path below `src/server/analysis`. */
  readonly file: string;
  /** What the mutation breaks. */
  readonly breaks: string;
  readonly find: string;
  readonly replace: string;
}

export const mutations: readonly Mutation[] = [];
