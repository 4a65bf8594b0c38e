/** Ranks the problems of a build by how many testers met them and how sure the analysis is. */
import { frictionTypes } from "../../contract/insights.ts";
import { type ProblemCounts, rankProblems } from "../../scorecard/problems.ts";
import type { Db } from "../db/schema.ts";
import type { BuildScope } from "./build-queries.ts";

/** Problems of fewer testers than this many others are not ranked. */
const MAX_RANKED = 30;

/** The problems to fix first in front. How sure a tag is, is the confidence of its strongest insight. Quits follow from events alone. */
export async function rankBuildProblems<T extends ProblemCounts>(
  db: Db,
  { gameId, version, environment }: BuildScope,
  problems: readonly T[],
): Promise<T[]> {
  const ranked = problems.slice(0, MAX_RANKED);
  const tags = ranked.filter(({ name }) => name === "friction").map(({ id }) => id);
  if (tags.length === 0) return ranked;
  const rows = await db
    .selectFrom("insights")
    .select((eb) => ["tag", eb.fn.max<number>("confidence").as("confidence")])
    .where((eb) => eb.and({ game_id: gameId, build: version }))
    .where("type", "in", [...frictionTypes])
    .where("tag", "in", tags)
    .$if(environment !== "all", (query) => query.where("environment", "=", environment))
    .groupBy("tag")
    .execute();
  const confidences = new Map(rows.map(({ tag, confidence }) => [tag, Number(confidence)]));
  return rankProblems(ranked, ({ id, name }) => (name === "quit" ? 1 : (confidences.get(id) ?? 0)));
}
