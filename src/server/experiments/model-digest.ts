/** Adds text from the account's AI model to a digest. The model refers to variants and evidence by short ids. */
import * as z from "zod";
import type { ExperimentDigest } from "../../contract/experiments.ts";
import { ProviderFault, type ProviderSettings } from "../analysis/provider/faults.ts";
import { askModel } from "../analysis/provider/provider.ts";
import { hasOnlyKnownNumbers } from "../builds/summaries.ts";
import { quote } from "../insights/wording.ts";
import type { ComparisonResult } from "./comparison.ts";

type DigestText = ExperimentDigest["digest"];

/** If a larger share of the evidence ids is unknown, the whole response is rejected. */
const MAX_UNKNOWN_ID_SHARE = 0.15;
/** Maximum length of a quote in the prompt, in characters. */
const MAX_PROMPT_TEXT_LENGTH = 200;
/** Maximum number of themes that a model can add. */
const MAX_THEMES = 5;
/** Maximum length of each text of the model, in characters. */
const MAX_TEXT_LENGTH = 600;
const MAX_THEME_LENGTH = 120;

const textSchema = z.string().min(1).max(MAX_TEXT_LENGTH);
const answerSchema = z.object({
  recommendation: textSchema,
  perVariant: z.array(z.object({ id: z.string().max(20), headline: textSchema })).max(50),
  sharedThemes: z
    .array(
      z.object({
        theme: z.string().min(1).max(MAX_THEME_LENGTH),
        evidence: z.array(z.string().max(20)).max(50),
      }),
    )
    .max(20),
  sentimentShift: textSchema,
});
type DigestAnswer = z.output<typeof answerSchema>;

const INSTRUCTIONS = `You explain to the designers of a game how the variants of an A/B experiment compare. The material lists the variants with short ids, the computed results of each variant, and evidence with short ids: tags of friction and praise, and quotes from players. In one or two sentences of plain English each, add to the recommendation, to the headline of every variant (by its "id", each once) and to the sentiment shift. Name at most ${MAX_THEMES} themes that all variants share. Each theme lists the ids that support it in "evidence", at least one from every variant, and no other ids. The computed recommendation is final: do not name a winner that it does not name. Call variants by their names. Do not state numbers.`;

/**
 * Adds the model's text to the digest of the rules. Returns null if the model fails or its response is rejected. Throws
 * ModelStopped.
 */
export async function digestByModel(
  provider: ProviderSettings,
  result: ComparisonResult,
  rules: DigestText,
  stop?: AbortSignal,
): Promise<DigestText | null> {
  const { variants, evidence, material, known } = buildMaterial(result, rules);
  try {
    const question = { name: "digest", instructions: INSTRUCTIONS, material, schema: answerSchema };
    const answer = await askModel(provider, question, stop);
    return mergeAnswer(answer, rules, { variants, evidence, known });
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    return null;
  }
}

interface PromptReferences {
  /** Variant key by short id. */
  readonly variants: ReadonlyMap<string, string>;
  /** The variant key of each piece of evidence, by short id. */
  readonly evidence: ReadonlyMap<string, string>;
  /**
   * Computed text. Numbers in the response must occur here; quotes do not count, because players can write any number.
   */
  readonly known: string;
}

/** Builds the material of the prompt. It contains short ids instead of variant keys. */
function buildMaterial(
  { comparison }: ComparisonResult,
  rules: DigestText,
): PromptReferences & { readonly material: unknown } {
  const variants = new Map<string, string>();
  const evidence = new Map<string, string>();
  const headlines = new Map(rules.perVariant.map(({ key, headline }) => [key, headline]));
  const shown = comparison.variants.map(({ key, name, topFriction, topPraise, sampleQuotes }) => {
    const id = `v${variants.size + 1}`;
    variants.set(id, key);
    const piece = (kind: string, text: string) => {
      const short = `e${evidence.size + 1}`;
      evidence.set(short, key);
      return { id: short, kind, text: quote(text, MAX_PROMPT_TEXT_LENGTH) };
    };
    const pieces = [
      ...topFriction.map(({ tag }) => piece("friction", tag)),
      ...topPraise.map(({ tag }) => piece("praise", tag)),
      ...sampleQuotes.map((text) => piece("written", text)),
    ];
    return {
      id,
      name: quote(name, MAX_PROMPT_TEXT_LENGTH),
      found: headlines.get(key) ?? "",
      evidence: pieces,
    };
  });
  const { recommendation, sharedThemes = [], sentimentShift = "" } = rules;
  const tags = comparison.variants.flatMap(({ topFriction, topPraise }) => [...topFriction, ...topPraise]);
  const names = comparison.variants.map(({ name }) => name);
  return {
    ...{ variants, evidence },
    material: { variants: shown, recommendation, sharedThemes, sentimentShift },
    known: JSON.stringify([rules, tags.map(({ tag }) => tag), names]),
  };
}

/** Appends the model's text to the text of the rules. Returns null if the response violates the instructions. */
function mergeAnswer(
  answer: DigestAnswer,
  rules: DigestText,
  { variants, evidence, known }: PromptReferences,
): DigestText | null {
  const citedIds = answer.sharedThemes.flatMap((theme) => theme.evidence);
  const unknown = citedIds.filter((id) => !evidence.has(id)).length;
  if (unknown > citedIds.length * MAX_UNKNOWN_ID_SHARE) return null;
  const headlines = new Map(answer.perVariant.map(({ id, headline }) => [variants.get(id), headline]));
  if (
    answer.perVariant.length !== variants.size ||
    headlines.size !== variants.size ||
    headlines.has(undefined)
  )
    return null;
  const themes = answer.sharedThemes.filter((theme) => {
    const supportedBy = new Set(theme.evidence.flatMap((id) => evidence.get(id) ?? []));
    return supportedBy.size === variants.size;
  });
  const append = (computed: string, added: string) => `${computed} ${quote(added, MAX_TEXT_LENGTH)}`.trim();
  const texts = [
    ...[answer.recommendation, answer.sentimentShift, ...headlines.values()],
    ...themes.map(({ theme }) => theme),
  ];
  if (!texts.every((text) => hasOnlyKnownNumbers(text, known))) return null;
  return {
    recommendation: append(rules.recommendation, answer.recommendation),
    perVariant: rules.perVariant.map(({ key, headline }) => ({
      key,
      headline: append(headline, headlines.get(key) ?? ""),
    })),
    sharedThemes: mergeThemes(
      rules,
      themes.map(({ theme }) => theme),
    ),
    sentimentShift: append(rules.sentimentShift ?? "", answer.sentimentShift),
  };
}

/** The themes of the rules followed by up to MAX_THEMES themes of the model, without duplicates. */
function mergeThemes({ sharedThemes }: DigestText, themes: readonly string[]): string[] {
  const added = themes.map((theme) => quote(theme, MAX_THEME_LENGTH)).filter((line) => line !== "");
  return [...new Set([...(sharedThemes ?? []), ...added.slice(0, MAX_THEMES)])];
}
