/** The table of all datasets. */
import { feedback } from "../../contract/feedback.ts";
import { batches } from "./batches.ts";
import type { Dataset } from "./dataset.ts";
import { events } from "./events.ts";
import { experiments } from "./experiments.ts";
import { handles } from "./handles.ts";
import { heatmaps } from "./heatmaps.ts";
import { insights } from "./insights.ts";
import { keys } from "./keys.ts";
import { rawEvents } from "./raw-events.ts";
import { createListDataset } from "./resource-dataset.ts";
import { sessions } from "./sessions.ts";

export const datasets = {
  events,
  "raw-events": rawEvents,
  sessions,
  insights,
  feedback: createListDataset(feedback),
  handles,
  batches,
  keys,
  experiments,
  heatmaps,
} as const satisfies Readonly<Record<string, Dataset<unknown>>>;

export type DatasetName = keyof typeof datasets;
export const datasetNames = Object.keys(datasets) as DatasetName[];
