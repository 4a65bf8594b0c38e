/** insights: one row per insight. */
import { ClientError } from "../../client/errors.ts";
import { insights as resource } from "../../contract/insights.ts";
import type { ExportReader } from "../reader.ts";
import { readNewestPage } from "./list-extent.ts";
import type { ListSource } from "./lists.ts";
import { createListDataset, type ListedItem } from "./resource-dataset.ts";

/** Readers of services that cannot list insights by the start of their sessions. */
const withoutRecordedAt = new WeakSet<ExportReader>();
/** Readers that have listed insights. */
const knownReaders = new WeakSet<ExportReader>();

/**
 * Insights by the start of their session, so that an analysis that replaces them never moves them to another file. Other
 * services list them by the time of their creation.
 */
const source: ListSource<ListedItem> = {
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
  getTime: ({ recordedAt, createdAt }) => Number(recordedAt ?? createdAt),
};

export const insights = createListDataset(resource, {
  source,
  async partitionTime(reader, game) {
    // Only a request shows what the service offers.
    if (!knownReaders.has(reader)) await readNewestPage(reader, source, game, {});
    return withoutRecordedAt.has(reader) ? "createdAt" : "recordedAt";
  },
});
