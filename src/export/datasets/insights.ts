/** insights: one row per insight. */
import { ClientError } from "../../client/errors.ts";
import type { InsightItem } from "../../contract/insights.ts";
import { double, json, string, timestamp } from "../column.ts";
import type { ExportReader } from "../reader.ts";
import { defineDataset } from "./dataset.ts";
import { createCounter, createExtentReader, estimateListRequests, readNewestPage } from "./list-extent.ts";
import { type ListSource, readListParts } from "./lists.ts";

interface InsightExportRow {
  readonly game: string;
  readonly insight: InsightItem;
}

/** Readers of services that cannot list insights by the start of their sessions. */
const withoutRecordedAt = new WeakSet<ExportReader>();
/** Readers that have listed insights. */
const knownReaders = new WeakSet<ExportReader>();

/**
 * Insights by the start of their session, so that an analysis that replaces them never moves them to another file. Other
 * services list them by the time of their creation.
 */
const insightList: ListSource<InsightItem> = {
  name: "insights",
  async fetch(reader, { env: _unsupported, ...query }) {
    const { client } = reader;
    if (!withoutRecordedAt.has(reader)) {
      try {
        const page = await client.listInsights({ ...query, time: "recordedAt", include: "evidenceIds" });
        knownReaders.add(reader);
        return page;
      } catch (error) {
        if (!(error instanceof ClientError && error.code === "unsupported")) throw error;
        withoutRecordedAt.add(reader);
      }
    }
    const page = await client.listInsights(query);
    knownReaders.add(reader);
    return { ...page, items: page.items.map((item) => ({ ...item, recordedAt: null })) };
  },
  getTime: ({ recordedAt, createdAt }) => recordedAt ?? createdAt,
};

export const insights = defineDataset<InsightExportRow>({
  name: "insights",
  summary: "One row per insight. Files are partitioned by recordedAt of the session and sorted newest first",
  hasEnvironments: false,
  async partitionTime(reader, game) {
    // Only a request shows what the service offers.
    if (!knownReaders.has(reader)) await readNewestPage(reader, insightList, game, {});
    return withoutRecordedAt.has(reader) ? "createdAt" : "recordedAt";
  },
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
    timestamp("recordedAt", "When the session started", ({ insight }) => insight.recordedAt),
    string("build", "Build version", ({ insight }) => insight.build),
    string(
      "deviceId",
      "Device of the tester. A session without a device counts as its own tester",
      ({ insight }) => insight.deviceId,
    ),
    string("environment", "Environment of the session", ({ insight }) => insight.environment),
    string("room", "Room that the tag is about", ({ insight }) => insight.room),
    json(
      "evidenceIds",
      "IDs of the events and answers that the insight rests on",
      ({ insight }) => insight.evidenceIds,
    ),
  ],
  extent: createExtentReader(insightList),
  counter: createCounter(insightList, "insight", { hasEnvironments: false }),
  requests: estimateListRequests,
  parts: (reader, scope) =>
    readListParts(reader, scope, insightList, [undefined], (insight) => [{ game: scope.game.slug, insight }]),
});
