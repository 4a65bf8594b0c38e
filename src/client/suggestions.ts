/** Requests suggestions as the API document does, and written by rules only from a service that announces that. */
import { type BuildSuggestions, getBuildSuggestions, RULES_FALLBACK } from "../contract/suggestions.ts";
import type { AnnouncingClient } from "./client.ts";
import { ClientError } from "./errors.ts";

type Calls = Pick<
  AnnouncingClient<{ getBuildSuggestions: typeof getBuildSuggestions }>,
  "announces" | "getBuildSuggestions"
>;

/** The suggestions of the account's AI model; without a model, those of rules if the service has them. Throws `payment_required` otherwise. */
export async function readSuggestions(
  calls: Calls,
  input: Parameters<Calls["getBuildSuggestions"]>[0],
): Promise<BuildSuggestions> {
  try {
    return await calls.getBuildSuggestions(input);
  } catch (error) {
    if (!(error instanceof ClientError && error.code === "payment_required")) throw error;
    if (!(await calls.announces(`${getBuildSuggestions.name}?fallback`))) throw error;
    return await calls.getBuildSuggestions({ ...input, fallback: RULES_FALLBACK });
  }
}
