/** The table of all datasets. */
import { listBatches, listBatchKeys, playtestKeys } from "../../contract/batches.ts";
import { resources } from "../../contract/resources.ts";
import { sessions } from "../../contract/sessions.ts";
import { type Dataset, snapshot } from "./dataset.ts";
import { events } from "./events.ts";
import { experiments } from "./experiments.ts";
import { heatmaps } from "./heatmaps.ts";
import { insights } from "./insights.ts";
import { sessionList } from "./lists.ts";
import { rawEvents } from "./raw-events.ts";
import { createListDataset, toResourceRow } from "./resource-dataset.ts";

/** The number of batches that estimates assume. */
const TYPICAL_BATCHES = 4;

const keys: Dataset<unknown> = {
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

/** Those of lists that need more than their definition replace the derived ones. */
const all: readonly Dataset<unknown>[] = [
  ...[events, rawEvents, createListDataset(sessions, { source: sessionList }), insights],
  ...resources.filter(({ dataset }) => dataset).map((resource) => createListDataset(resource)),
  ...[keys, experiments, heatmaps],
];

/** The datasets by name, in the order of the help. */
export const datasets: ReadonlyMap<string, Dataset<unknown>> = new Map(
  all.map((dataset) => [dataset.name, dataset]),
);

export const datasetNames: readonly string[] = [...datasets.keys()];

/** The dataset with this name, which the command line has validated. */
export function getDataset(name: string): Dataset<unknown> {
  const dataset = datasets.get(name);
  if (!dataset) throw new RangeError(`No dataset ${name}`);
  return dataset;
}
