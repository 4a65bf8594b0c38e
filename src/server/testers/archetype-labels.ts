/** Labels of archetypes from the account's AI model. Each label is requested once and checked against its material. */
import { createHash } from "node:crypto";
import * as z from "zod";
import type { Archetype } from "../../contract/archetypes.ts";
import type { ProviderSettings } from "../analysis/provider/faults.ts";
import { askModel } from "../analysis/provider/provider.ts";
import { hasOnlyKnownNumbers } from "../builds/summaries.ts";
import { quote } from "../insights/wording.ts";

/** Maximum number of archetypes that a model labels, the largest first. The others keep the labels of the rules. */
export const MAX_LABELED = 20;
/** Maximum length of a summary in the prompt, in characters. */
const MAX_PROMPT_TEXT_LENGTH = 300;
/** Maximum length of a label in characters. */
const MAX_LABEL_LENGTH = 60;

const answerSchema = z.object({
  labels: z
    .array(z.object({ id: z.string().max(20), label: z.string().min(1).max(MAX_LABEL_LENGTH) }))
    .max(MAX_LABELED),
});

const INSTRUCTIONS = `You label groups of testers for the designers of a game. The material lists the groups with short ids, the friction tags that most testers of each group share, and the summaries of some testers. Give every group (by its "id", each once) a label of two to six common English words that describes how its testers play. Do not state numbers.`;

/** The material of an archetype in the prompt. It names no tester. */
function toLabelMaterial({ commonFrictionTags, representativeTesters }: Archetype) {
  const summaries = representativeTesters.map(({ summary }) => quote(summary, MAX_PROMPT_TEXT_LENGTH));
  return { tags: commonFrictionTags, summaries };
}

/** The cache key of a label: a hash of the model and the prompt for the archetype. */
export function labelHash({ base_url, model }: ProviderSettings, archetype: Archetype): string {
  const parts = [base_url, model, INSTRUCTIONS, toLabelMaterial(archetype)];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/**
 * Requests a label for each archetype, in the same order. Returns null if the response does not cover exactly these
 * archetypes, or if a label is empty or contains a number that does not occur in its tags. Throws ProviderFault;
 * ModelStopped if `stop` fires.
 */
export async function askForLabels(
  provider: ProviderSettings,
  archetypes: readonly Archetype[],
  stop?: AbortSignal,
): Promise<string[] | null> {
  const shortId = (at: number) => `a${at + 1}`;
  const material = archetypes.map((archetype, at) => ({ id: shortId(at), ...toLabelMaterial(archetype) }));
  const question = { name: "labels", instructions: INSTRUCTIONS, material, schema: answerSchema };
  const answered = (await askModel(provider, question, stop)).labels;
  const byId = new Map(answered.map(({ id, label }) => [id, quote(label, MAX_LABEL_LENGTH)]));
  const labels = archetypes.map((_, at) => byId.get(shortId(at)) ?? "");
  if (answered.length !== archetypes.length || labels.includes("")) return null;
  const isGrounded = labels.every((label, at) =>
    hasOnlyKnownNumbers(label, JSON.stringify(archetypes[at]?.commonFrictionTags)),
  );
  return isGrounded ? labels : null;
}
