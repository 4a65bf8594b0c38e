/** The findings of each variant, and the stored recommendation, in words. */
import type { ComparedVariant, ExperimentDigest, VariantComparison } from "../../contract/experiments.ts";
import { ownValue } from "../../shared/own-value.ts";
import { HOUR_MS } from "../../shared/time-units.ts";
import type { RenderOptions } from "../options.ts";
import { formatTime } from "../time.ts";
import { formatTagCount } from "./tag-text.ts";

/** What the players of a variant praised and wrote. Their friction is in the scorecard. */
export function listVariantFindings({ topPraise, sampleQuotes }: ComparedVariant): string[] {
  return [
    ...topPraise.map((counted) => formatTagCount("Praise", counted)),
    ...sampleQuotes.map((quote) => `"${quote}"`),
  ];
}

/** The confidence of a stored recommendation, and its age if the figures above are newer. */
export function describeDigest(
  { confidenceLabel, generatedAt }: ExperimentDigest,
  comparison: VariantComparison,
  options: RenderOptions,
): string {
  const confidence = ownValue(confidenceTexts, confidenceLabel) ?? `${confidenceLabel} confidence`;
  const isOlder = typeof generatedAt === "number" && comparison.generatedAt - generatedAt > MAX_DIGEST_AGE_MS;
  return isOlder
    ? `Recommendation of ${formatTime(generatedAt, options)} (${confidence}; the figures above may be newer)`
    : `Recommendation (${confidence})`;
}

/** A recommendation that is older than this has its time. */
const MAX_DIGEST_AGE_MS = HOUR_MS;

export const RULES_NOTE = "Written by rules, because the AI model returned no usable text.";

/** The confidence of a recommendation in words. Other labels are shown followed by `confidence`. */
const confidenceTexts: Readonly<Record<string, string>> = { insufficient: "not enough data" };
