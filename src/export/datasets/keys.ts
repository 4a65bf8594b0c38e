/** keys: one row per playtest key of all batches. */
import { listBatches, listBatchKeys, playtestKeys } from "../../contract/batches.ts";
import { type Dataset, snapshot } from "./dataset.ts";
import { createListDataset, toResourceRow } from "./resource-dataset.ts";

/** The number of batches that estimates assume. */
const TYPICAL_BATCHES = 4;

export const keys: Dataset<unknown> = {
  ...createListDataset(playtestKeys),
  requests: () => 1 + TYPICAL_BATCHES,
  parts: snapshot(async function* (reader, { game }) {
    const { batches } = await reader.send(() => reader.call(listBatches, { game: game.id }));
    for (const { id: batchId } of batches) {
      const query = { game: game.id, batchId };
      const { keys: items } = await reader.send(() => reader.call(listBatchKeys, query));
      yield items.map((key) => toResourceRow(game.slug, { ...key, batch_id: batchId }));
    }
  }),
};
