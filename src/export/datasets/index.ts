/** The table of all datasets. */
import { resources } from "../../contract/resources.ts";
import { sessions } from "../../contract/sessions.ts";
import type { Dataset } from "./dataset.ts";
import { events } from "./events.ts";
import { experiments } from "./experiments.ts";
import { heatmaps } from "./heatmaps.ts";
import { insights } from "./insights.ts";
import { keys } from "./keys.ts";
import { sessionList } from "./lists.ts";
import { rawEvents } from "./raw-events.ts";
import { createListDataset } from "./resource-dataset.ts";

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
