/** Who wrote suggestions, in words. */

interface SuggestionSource {
  readonly source: string;
  readonly fallbackReason?: string | undefined;
  readonly providerStatus?: number | undefined;
}

/** Who wrote the suggestions, in a sentence. A service without `fallbackReason` only writes them by rules after its model failed. */
export function describeAuthor({ source, fallbackReason, providerStatus }: SuggestionSource): string {
  if (source !== "fallback") return "Written by the AI model.";
  if (fallbackReason === "no-model") return "Written by rules.";
  return `Written by rules, because ${describeFailure(fallbackReason, providerStatus)}.`;
}

function describeFailure(reason: string | undefined, status: number | undefined): string {
  if (reason === "provider-error")
    return `the provider of the AI model ${status === undefined ? "did not answer" : `answered with status ${status}`}`;
  if (reason === "budget-spent") return "the budget of model calls per day is spent";
  return "the AI model returned no usable suggestions";
}
