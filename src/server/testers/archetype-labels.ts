/** Labels of archetypes in the words of the account's model: each asked for once, and held to what it was shown. */
import { createHash } from "node:crypto";
import * as z from "zod";
import type { Archetype } from "../../contract/archetypes.ts";
import type { ProviderSettings } from "../analysis/provider/faults.ts";
import { askModel } from "../analysis/provider/provider.ts";
import { hasOnlyKnownNumbers } from "../builds/summaries.ts";
import { quote } from "../insights/wording.ts";

/** Archetypes that a model labels, the largest; the others keep the rules' labels. */
export const MAX_LABELLED = 20;
/** Characters of a summary that a model is shown. */
const MAX_PROMPT_TEXT_LENGTH = 300;
/** Characters of a label. */
const MAX_LABEL_LENGTH = 60;

const answerSchema = z.object({
  labels: z
    .array(z.object({ id: z.string().max(20), label: z.string().min(1).max(MAX_LABEL_LENGTH) }))
    .max(MAX_LABELLED),
});

const INSTRUCTIONS = `You name the kinds of testers a game has, for its designers. The material lists groups of testers with short ids: the tags of friction that most of each met, and summaries of some. Give every group, by its "id" and each once, a label of two to six words that tells how its testers play. Do not state numbers.`;

/** What a model is shown of an archetype: no tester is named. */
function toLabelMaterial({ commonFrictionTags, representativeTesters }: Archetype) {
  const summaries = representativeTesters.map(({ summary }) => quote(summary, MAX_PROMPT_TEXT_LENGTH));
  return { tags: commonFrictionTags, summaries };
}

/** What tells the question for one label from another: the model that is asked and all it is shown of the group. */
export function labelHash({ base_url, model }: ProviderSettings, archetype: Archetype): string {
  const asked = [base_url, model, INSTRUCTIONS, toLabelMaterial(archetype)];
  return createHash("sha256").update(JSON.stringify(asked)).digest("hex");
}

/**
 * A label for each archetype, in their order; null where the answer is not about exactly these, or a label is empty or
 * holds a number that its tags do not. Throws ProviderFault; ModelStopped once `stop` fires.
 */
export async function askForLabels(
  provider: ProviderSettings,
  archetypes: readonly Archetype[],
  stop?: AbortSignal,
): Promise<string[] | null> {
  const idOf = (at: number) => `a${at + 1}`;
  const material = archetypes.map((one, at) => ({ id: idOf(at), ...toLabelMaterial(one) }));
  const question = { name: "labels", instructions: INSTRUCTIONS, material, schema: answerSchema };
  const given = (await askModel(provider, question, stop)).labels;
  const byId = new Map(given.map(({ id, label }) => [id, quote(label, MAX_LABEL_LENGTH)]));
  const labels = archetypes.map((_, at) => byId.get(idOf(at)) ?? "");
  if (given.length !== archetypes.length || labels.includes("")) return null;
  const holds = labels.every((label, at) =>
    hasOnlyKnownNumbers(label, JSON.stringify(archetypes[at]?.commonFrictionTags)),
  );
  return holds ? labels : null;
}
