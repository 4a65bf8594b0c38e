/** Suggestions for changes, written by the account's AI model and checked against its evidence, or written by rules. */
import { createHash } from "node:crypto";
import * as z from "zod";
import type { FallbackReason, Suggestion, SuggestionMode } from "../../contract/suggestions.ts";
import type { ProviderSettings } from "../analysis/provider/faults.ts";
import { askModel } from "../analysis/provider/provider.ts";
import { describeTag, type QuestionsByTag } from "../insights/describe-tag.ts";
import { endSentence, quote } from "../insights/wording.ts";
import { describeTesters, getQuitRoom, type SuggestionTarget } from "./suggestion-targets.ts";

export const MAX_SUGGESTIONS = 5;
/** If a larger share of the evidence ids is unknown, the whole response is rejected. */
const MAX_UNKNOWN_ID_SHARE = 0.15;
/** Maximum length of each text in the prompt, in characters. */
const MAX_PROMPT_TEXT_LENGTH = 300;

export interface Suggestions {
  readonly suggestions: Suggestion[];
  readonly source: "ai" | "fallback";
  readonly fallbackReason?: FallbackReason;
  readonly providerStatus?: number;
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

const INSTRUCTIONS = `You advise a game studio on its playtest. The material lists the friction tags of a build, the worst first, the number of testers with each tag and of those who could meet it, and evidence with short ids. In compare-diff mode, "result" is what a statistical test shows about the change from the build before. Suggest at most ${MAX_SUGGESTIONS} concrete changes to the game, the most valuable first. Each suggestion lists the ids that support it in "evidence", and no other ids; "confidence" is from 0 to 1. Write in plain English. Do not state counts that are not in the material.`;

/** Builds the material of the prompt. `ids` maps the short ids in it to insight ids. */
function buildMaterial(mode: SuggestionMode, targets: readonly SuggestionTarget[]) {
  const ids = new Map<string, string>();
  const tags = targets.map(({ tag, testersWithTag, testersExposed, change, evidence }) => ({
    tag,
    testersWithTag,
    testersExposed,
    ...(change && {
      testersWithTagBefore: change.testersWithTag,
      testersExposedBefore: change.testersExposed,
      result: change.result,
    }),
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

/** The cache key of a question: a hash of the model and the complete prompt. */
export function hashQuestion(
  provider: ProviderSettings,
  mode: SuggestionMode,
  targets: readonly SuggestionTarget[],
): string {
  const { ids, material } = buildMaterial(mode, targets);
  const parts = [provider.base_url, provider.model, INSTRUCTIONS, material, [...ids.values()]];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** Asks the model. Returns null if its response is rejected. Throws ProviderFault; ModelStopped if `stop` fires. */
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

/** Replaces short ids by insight ids. Returns null if too many ids are unknown or no suggestion is left. */
export function groundSuggestions(
  answer: SuggestionsAnswer,
  ids: ReadonlyMap<string, string>,
): Suggestion[] | null {
  const citedIds = answer.suggestions.flatMap(({ evidence }) => evidence);
  const unknown = citedIds.filter((id) => !ids.has(id)).length;
  if (unknown > citedIds.length * MAX_UNKNOWN_ID_SHARE) return null;
  const grounded = answer.suggestions.flatMap(({ title, rationale, evidence, confidence }) => {
    const insightIds = [...new Set(evidence.flatMap((id) => ids.get(id) ?? []))];
    if (insightIds.length === 0) return [];
    const texts = { title: quote(title, 200), rationale: quote(rationale, 2000) };
    return texts.title === "" || texts.rationale === ""
      ? []
      : [{ ...texts, evidence: insightIds, confidence }];
  });
  return grounded.length === 0 ? null : grounded.slice(0, MAX_SUGGESTIONS);
}

/**
 * Orders suggestions by the worst tag of their evidence, so that no model decides what is worst, and adds the sessions that
 * show it.
 */
export function orderByTarget(
  suggestions: readonly Suggestion[],
  targets: readonly SuggestionTarget[],
): Suggestion[] {
  const ranks = new Map(
    targets.flatMap(({ evidence }, rank) => evidence.map(({ id }) => [id, rank] as const)).reverse(),
  );
  return suggestions
    .map((suggestion) => ({
      suggestion,
      rank: Math.min(...suggestion.evidence.map((id) => ranks.get(id) ?? targets.length)),
    }))
    .sort((x, y) => x.rank - y.rank)
    .map(({ suggestion, rank }) => ({ ...suggestion, sessions: [...(targets[rank]?.sessions ?? [])] }));
}

/** The confidence of quits without an insight. They follow from events alone. */
const QUIT_CONFIDENCE = 0.95;

/** Suggestions by rules: one per tag, with its counts. */
export function suggestByRules(
  targets: readonly SuggestionTarget[],
  questions: QuestionsByTag,
): Suggestion[] {
  return targets.slice(0, MAX_SUGGESTIONS).flatMap((target) => {
    const { tag, testersWithTag, testersExposed, evidence, sessions } = target;
    const [strongest] = evidence;
    const room = getQuitRoom(tag);
    if (!strongest && room === null) return [];
    const remedy =
      room === null ? describeTag(tag, questions).remedy : `Find out why testers quit in ${room}`;
    const example = strongest ? ` For example: ${endSentence(strongest.title)}` : "";
    const share = testersWithTag / Math.max(1, testersExposed);
    return {
      title: remedy,
      rationale: `${endSentence(describeTesters(target))}${example}`,
      evidence: evidence.map(({ id }) => id),
      sessions: [...sessions],
      // The strength of the strongest insight or of the test, reduced by up to half if few testers are affected.
      confidence:
        Math.round((strongest?.confidence ?? QUIT_CONFIDENCE) * (0.5 + 0.5 * Math.min(1, share)) * 100) / 100,
    };
  });
}
