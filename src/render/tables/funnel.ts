/** The columns of the steps of a funnel. */
import type { FunnelStep } from "../../contract/funnels.ts";
import type { TableColumn } from "../columns.ts";
import { formatShare } from "../numbers.ts";
import { formatDuration } from "../time.ts";
import { formatShareInterval } from "./share-text.ts";

/** What the columns show, in words. */
export const METHOD =
  "Intervals: 95%. “Of previous” of the first step is its share of all testers. “Time” is the median since the previous step.";

export const funnelColumns: readonly TableColumn<FunnelStep>[] = [
  { key: "step", header: "STEP", value: ({ step }) => step, shrink: 1 },
  { key: "testers", header: "TESTERS", value: ({ testers }) => testers },
  { key: "lost", header: "LOST", value: ({ lost }) => lost },
  {
    key: "ofPrevious",
    header: "OF PREVIOUS",
    align: "right",
    value: ({ ofPrevious }) => ofPrevious ?? null,
    format: (share, _options, { ofPreviousInterval }) =>
      `${formatShare(Number(share))} (${formatShareInterval(ofPreviousInterval)})`,
  },
  {
    key: "ofFirst",
    header: "OF FIRST",
    align: "right",
    value: ({ ofFirst }) => ofFirst ?? null,
    format: (share, _options, { ofFirstInterval }) =>
      `${formatShare(Number(share))} (${formatShareInterval(ofFirstInterval)})`,
  },
  {
    key: "medianSec",
    header: "TIME",
    align: "right",
    value: ({ medianSec }) => medianSec ?? null,
    format: (seconds) => formatDuration(Number(seconds)),
  },
];
