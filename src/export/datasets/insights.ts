/** insights: one row per insight. */
import { insights as resource } from "../../contract/insights.ts";
import type { ExportReader } from "../reader.ts";
import type { ListSource } from "./lists.ts";
import { createListDataset, type ListedItem } from "./resource-dataset.ts";

/** Whether a service lists insights by the start of their sessions. */
const hasRecordedAt = async ({ client }: ExportReader): Promise<boolean> =>
  await client.announces("listInsights?time");

/**
 * Insights by the start of their session, so that an analysis that replaces them never moves them to another file. Other
 * services list them by the time of their creation.
 */
const source: ListSource<ListedItem> = {
  name: "insights",
  async fetch(reader, { env: _unsupported, ...query }) {
    const { client } = reader;
    if (await hasRecordedAt(reader))
      return await client.listInsights({ ...query, time: "recordedAt", include: "evidenceIds" });
    const page = await client.listInsights(query);
    return { ...page, items: page.items.map((item) => ({ ...item, recordedAt: null })) };
  },
  getTime: ({ recordedAt, createdAt }) => Number(recordedAt ?? createdAt),
};

export const insights = createListDataset(resource, {
  source,
  partitionTime: async (reader) => ((await hasRecordedAt(reader)) ? "recordedAt" : "createdAt"),
});
