/** insights: one row per insight. */
import type { InsightItem } from "../../contract/insights.ts";
import { double, string, timestamp } from "../column.ts";
import { defineDataset } from "./dataset.ts";
import {
  createCounter,
  createExtentReader,
  estimateListRequests,
  type ListSource,
  readListParts,
} from "./lists.ts";

interface InsightExportRow {
  readonly game: string;
  readonly insight: InsightItem;
}

const insightList: ListSource<InsightItem> = {
  name: "insights",
  fetch: ({ client }, { env: _unsupported, ...query }) => client.listInsights(query),
  getTime: ({ createdAt }) => createdAt,
};

export const insights = defineDataset<InsightExportRow>({
  name: "insights",
  summary: "One row per insight. Files are partitioned by createdAt and sorted newest first",
  hasEnvironments: false,
  columns: [
    timestamp("createdAt", "When the insight was created", ({ insight }) => insight.createdAt),
    string("game", "Slug of the game", ({ game }) => game),
    string("id", "Insight id", ({ insight }) => insight.id),
    string("sessionId", "Session of the insight", ({ insight }) => insight.sessionId),
    string("type", "Insight type, such as difficulty-spike", ({ insight }) => insight.type),
    string("sentiment", "positive, neutral or negative", ({ insight }) => insight.sentiment),
    double(
      "confidence",
      "Strength of the evidence. Not a probability",
      ({ insight }) => insight.confidence,
      "0 to 1",
    ),
    string("tag", "Tag in the form <kind>:<where>", ({ insight }) => insight.tag),
    string("title", "Title for people", ({ insight }) => insight.title),
  ],
  extent: createExtentReader(insightList),
  counter: createCounter(insightList, "insight", { hasEnvironments: false }),
  requests: estimateListRequests,
  parts: (reader, scope) =>
    readListParts(reader, scope, insightList, [undefined], (insight) => ({ game: scope.game.slug, insight })),
});
