/** Reads the evidence for suggestions: the strongest insights of each tag of a build. */
import type { InsightType } from "../../contract/insights.ts";
import { frictionTypes } from "../../contract/insights.ts";
import type { Db } from "../db/schema.ts";

/** One insight as evidence. */
export interface EvidenceRow {
  readonly id: string;
  readonly tag: string;
  readonly type: InsightType;
  readonly title: string;
  readonly evidence: string;
  readonly confidence: number;
}

/** The strongest friction insights of a tag in a build and environment, at most `limit`. */
export async function findStrongestEvidence(
  db: Db,
  where: { gameId: string; build: string; environment: string; tag: string },
  limit: number,
): Promise<EvidenceRow[]> {
  return await db
    .selectFrom("insights")
    .select(["id", "tag", "type", "title", "evidence", "confidence"])
    .where("game_id", "=", where.gameId)
    .where("build", "=", where.build)
    .where("environment", "=", where.environment)
    .where("type", "in", [...frictionTypes])
    .where("tag", "=", where.tag)
    .orderBy("confidence", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(limit)
    .execute();
}
