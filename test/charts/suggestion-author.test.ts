/** Who wrote suggestions, in words. */
import { expect, test } from "vitest";
import { describeAuthor } from "../../src/charts/suggestion-author.ts";

test.each([
  [{ source: "ai" }, "Written by the AI model."],
  [{ source: "fallback", fallbackReason: "no-model" }, "Written by rules."],
  [
    { source: "fallback", fallbackReason: "provider-error", providerStatus: 500 },
    "Written by rules, because the provider of the AI model answered with status 500.",
  ],
  [
    { source: "fallback", fallbackReason: "provider-error" },
    "Written by rules, because the provider of the AI model did not answer.",
  ],
  [
    { source: "fallback", fallbackReason: "budget-spent" },
    "Written by rules, because the budget of model calls per day is spent.",
  ],
  [
    { source: "fallback", fallbackReason: "unusable-answer" },
    "Written by rules, because the AI model returned no usable suggestions.",
  ],
  [{ source: "fallback" }, "Written by rules, because the AI model returned no usable suggestions."],
])("%j", (source, text) => {
  expect(describeAuthor(source)).toBe(text);
});
