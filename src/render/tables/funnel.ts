/** The columns of the steps of a funnel. */
import type { FunnelStep } from "../../contract/funnels.ts";
import { formatShare, formatShareInterval } from "../numbers.ts";
import { defineColumns } from "./columns.ts";

/** What the columns show, in words. */
export const METHOD =
  "Intervals: 95%. “Of previous” of the first step is its share of all testers. “Time” is the median since the previous step.";

export const funnelColumns = defineColumns<FunnelStep>({
  step: { header: "STEP", shrink: 1 },
  testers: { header: "TESTERS" },
  lost: { header: "LOST" },
  ofPrevious: {
    header: "OF PREVIOUS",
    align: "right",
    format: ({ ofPrevious, ofPreviousInterval }) => formatWithInterval(ofPrevious, ofPreviousInterval),
  },
  ofFirst: {
    header: "OF FIRST",
    align: "right",
    format: ({ ofFirst, ofFirstInterval }) => formatWithInterval(ofFirst, ofFirstInterval),
  },
  medianSec: { header: "TIME", kind: "duration" },
});

const formatWithInterval = (share: number | null | undefined, interval: FunnelStep["ofFirstInterval"]) =>
  `${formatShare(Number(share))} (${formatShareInterval(interval)})`;
