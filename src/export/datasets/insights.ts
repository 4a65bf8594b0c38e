/** insights: a row an insight. */
import type { InsightItem } from "../../contract/insights.ts";
import { double, string, timestamp } from "../column.ts";
import { defineDataset } from "./dataset.ts";
import { createExtentReader, estimateListRequests, type ListSource, readListParts } from "./lists.ts";

interface InsightExportRow {
  readonly game: string;
  readonly insight: InsightItem;
}

const insightList: ListSource<InsightItem> = {
  fetch: ({ client }, { env: _none, ...query }) => client.listInsights(query),
  timeOf: ({ createdAt }) => createdAt,
};

export const insights = defineDataset<InsightExportRow>({
  name: "insights",
  summary: "A row an insight, by the time it was made, the newest first in each file",
  hasEnvironments: false,
  columns: [
    timestamp("createdAt", "When it was made", ({ insight }) => insight.createdAt),
    string("game", "Slug of the game", ({ game }) => game),
    string("id", "Insight id", ({ insight }) => insight.id),
    string("sessionId", "Session it was seen in", ({ insight }) => insight.sessionId),
    string("type", "Kind of insight", ({ insight }) => insight.type),
    string("sentiment", "positive, neutral or negative", ({ insight }) => insight.sentiment),
    double("confidence", "How sure the analysis is", ({ insight }) => insight.confidence, "0 to 1"),
    string("tag", "<kind>:<where>", ({ insight }) => insight.tag),
    string("title", "One line for people", ({ insight }) => insight.title),
  ],
  extent: createExtentReader(insightList),
  requests: estimateListRequests,
  parts: (reader, scope) =>
    readListParts(reader, scope, insightList, [undefined], (insight) => ({ game: scope.game.slug, insight })),
});
