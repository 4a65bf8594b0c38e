/** Suggestions: what to change first, asked of the account's model and held to the evidence it was given, else by rules. */
import { createHash } from "node:crypto";
import * as z from "zod";
import type { Suggestion, SuggestionMode } from "../../contract/suggestions.ts";
import type { ProviderSettings } from "../analysis/provider/faults.ts";
import { askModel } from "../analysis/provider/provider.ts";
import { describeTag, type QuestionsByTag } from "../insights/describe-tag.ts";
import type { EvidenceRow } from "../insights/evidence-queries.ts";
import { endSentence, formatCount, quote } from "../insights/wording.ts";

/** Tags that are asked about, the most met first. */
export const MAX_TAGS = 8;
/** Insights a tag is shown with. */
export const MAX_EVIDENCE_PER_TAG = 5;
export const MAX_SUGGESTIONS = 5;
/** A larger share of ids that were never given makes the whole answer unbelievable. */
export const MAX_UNKNOWN_ID_SHARE = 0.15;
/** Characters of a tester's words that a model is shown. */
const MAX_PROMPT_TEXT_LENGTH = 300;

/** One tag that is still bad, and what shows it. */
export interface SuggestionTarget {
  readonly tag: string;
  readonly testersWithTag: number;
  readonly testersInBatch: number;
  readonly evidence: readonly EvidenceRow[];
}

export interface Suggestions {
  readonly suggestions: Suggestion[];
  readonly source: "ai" | "fallback";
}

const answerSchema = z.object({
  suggestions: z
    .array(
      z.object({
        title: z.string().min(1).max(200),
        rationale: z.string().min(1).max(2000),
        evidence: z.array(z.string().max(20)).max(50),
        confidence: z.number().min(0).max(1),
      }),
    )
    .max(20),
});
type SuggestionsAnswer = z.output<typeof answerSchema>;

const INSTRUCTIONS = `You advise a game studio on its playtest. The material lists friction tags of a build, how many of its testers met each, and evidence with short ids. Suggest at most ${MAX_SUGGESTIONS} concrete changes to the game, the most valuable first. Each names, in "evidence", the ids of the material it rests on, and no other ids; "confidence" is from 0 to 1. Do not state counts that are not in the material.`;

/** What the model is shown: insights by short opaque ids, and those ids' insights. */
function buildMaterial(mode: SuggestionMode, targets: readonly SuggestionTarget[]) {
  const ids = new Map<string, string>();
  const tags = targets.map(({ tag, testersWithTag, testersInBatch, evidence }) => ({
    tag,
    testersWithTag,
    testersInBatch,
    evidence: evidence.map(({ id, title, evidence: detail }) => {
      const short = `e${ids.size + 1}`;
      ids.set(short, id);
      return {
        id: short,
        title: quote(title, MAX_PROMPT_TEXT_LENGTH),
        detail: quote(detail, MAX_PROMPT_TEXT_LENGTH),
      };
    }),
  }));
  return { ids, material: { mode, tags } };
}

/** What tells one question from another: the model that is asked and all it is shown. */
export function hashQuestion(
  provider: ProviderSettings,
  mode: SuggestionMode,
  targets: readonly SuggestionTarget[],
): string {
  const { ids, material } = buildMaterial(mode, targets);
  const asked = [provider.base_url, provider.model, INSTRUCTIONS, material, [...ids.values()]];
  return createHash("sha256").update(JSON.stringify(asked)).digest("hex");
}

/** Asks the model. Answers null where what it says does not hold; throws ProviderFault where it says nothing, ModelStopped once `stop` fires. */
export async function askForSuggestions(
  provider: ProviderSettings,
  mode: SuggestionMode,
  targets: readonly SuggestionTarget[],
  stop?: AbortSignal,
): Promise<Suggestion[] | null> {
  const { ids, material } = buildMaterial(mode, targets);
  const question = { name: "suggestions", instructions: INSTRUCTIONS, material, schema: answerSchema };
  return groundSuggestions(await askModel(provider, question, stop), ids);
}

/** The suggestions with their evidence's real ids; null where too many ids are foreign or nothing is left. */
export function groundSuggestions(
  given: SuggestionsAnswer,
  ids: ReadonlyMap<string, string>,
): Suggestion[] | null {
  const named = given.suggestions.flatMap(({ evidence }) => evidence);
  const foreign = named.filter((id) => !ids.has(id)).length;
  if (foreign > named.length * MAX_UNKNOWN_ID_SHARE) return null;
  const kept = given.suggestions.flatMap(({ title, rationale, evidence, confidence }) => {
    const real = [...new Set(evidence.flatMap((id) => ids.get(id) ?? []))];
    if (real.length === 0) return [];
    const words = { title: quote(title, 200), rationale: quote(rationale, 2000) };
    return words.title === "" || words.rationale === "" ? [] : [{ ...words, evidence: real, confidence }];
  });
  return kept.length === 0 ? null : kept.slice(0, MAX_SUGGESTIONS);
}

/** Suggestions by rules: one a tag, the most met first, told by its counts. */
export function suggestByRules(
  targets: readonly SuggestionTarget[],
  questions: QuestionsByTag,
): Suggestion[] {
  return targets.slice(0, MAX_SUGGESTIONS).flatMap((target) => {
    const { tag, testersWithTag, testersInBatch, evidence } = target;
    const [surest] = evidence;
    if (!surest) return [];
    const { remedy, theme } = describeTag(tag, questions);
    const share = testersWithTag / Math.max(1, testersInBatch);
    return {
      title: remedy,
      rationale: `Seen with ${testersWithTag} of ${formatCount(testersInBatch, "tester")}: ${endSentence(theme)} For example: ${endSentence(surest.title)}`,
      evidence: evidence.map(({ id }) => id),
      // As sure as the finding itself, less where few testers met it.
      confidence: Math.round(surest.confidence * (0.5 + 0.5 * Math.min(1, share)) * 100) / 100,
    };
  });
}
