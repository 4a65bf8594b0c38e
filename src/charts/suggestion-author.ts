/** Who wrote suggestions, in words. */

interface SuggestionSource {
  readonly source: string;
  readonly fallbackReason?: string | undefined;
}

/** Who wrote the suggestions, in a sentence. A service without `fallbackReason` only writes them by rules after its model failed. */
export function describeAuthor({ source, fallbackReason }: SuggestionSource): string {
  if (source !== "fallback") return "Written by the AI model.";
  return fallbackReason === "no-model"
    ? "Written by rules."
    : "Written by rules, because the AI model returned no usable suggestions.";
}
