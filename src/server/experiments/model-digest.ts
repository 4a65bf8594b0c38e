/** The words of the account's model in a digest: behind what code has counted, about variants and evidence by short ids. */
import * as z from "zod";
import type { ExperimentDigest } from "../../contract/experiments.ts";
import { ProviderFault, type ProviderSettings } from "../analysis/provider/faults.ts";
import { askModel } from "../analysis/provider/provider.ts";
import { hasOnlyKnownNumbers } from "../builds/summaries.ts";
import { quote } from "../insights/wording.ts";
import type { ComparisonResult } from "./comparison.ts";

type DigestText = ExperimentDigest["digest"];

/** A larger share of ids that were never given makes the whole answer unbelievable. */
export const MAX_UNKNOWN_ID_SHARE = 0.15;
/** Characters of a tester's words that a model is shown. */
const MAX_PROMPT_TEXT_LENGTH = 200;
/** Themes that a model may add. */
const MAX_THEMES = 5;
/** Characters of each thing a model says. */
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

const INSTRUCTIONS = `You explain how the variants of a game's A/B experiment compare, to its designers. The material lists the variants with short ids, what code has found of each, and evidence with short ids: tags of friction and praise, and what players wrote. In one or two plain sentences each, add to the recommendation, to the headline of every variant (by its "id", each once) and to how the mood moved; name at most ${MAX_THEMES} themes that all variants share, each with the "evidence" ids it rests on, some of every variant, and no other ids. What code recommends stands: do not name a winner that it does not. Call variants by their names. Do not state numbers.`;

/** What a model adds to the rules' digest; null where its answer does not hold or it gave none. Throws ModelStopped. */
export async function digestByModel(
  provider: ProviderSettings,
  compared: ComparisonResult,
  rules: DigestText,
  stop?: AbortSignal,
): Promise<DigestText | null> {
  const { variants, evidence, material, known } = buildMaterial(compared, rules);
  try {
    const question = { name: "digest", instructions: INSTRUCTIONS, material, schema: answerSchema };
    const given = await askModel(provider, question, stop);
    return mergeAnswer(given, rules, { variants, evidence, known });
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    return null;
  }
}

interface PromptReferences {
  /** Variant key by short id. */
  readonly variants: ReadonlyMap<string, string>;
  /** The key of the variant that each piece of evidence is of, by short id. */
  readonly evidence: ReadonlyMap<string, string>;
  /** What code wrote: no number stands elsewhere, for players may write any. */
  readonly known: string;
}

/** The variants' own keys stay here: what the model is shown are short ids. */
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

/** The rules' words with the model's behind them; null unless the answer holds to what it was given. */
function mergeAnswer(
  given: DigestAnswer,
  rules: DigestText,
  { variants, evidence, known }: PromptReferences,
): DigestText | null {
  const named = given.sharedThemes.flatMap((one) => one.evidence);
  const foreign = named.filter((id) => !evidence.has(id)).length;
  if (foreign > named.length * MAX_UNKNOWN_ID_SHARE) return null;
  const headlines = new Map(given.perVariant.map(({ id, headline }) => [variants.get(id), headline]));
  if (
    given.perVariant.length !== variants.size ||
    headlines.size !== variants.size ||
    headlines.has(undefined)
  )
    return null;
  const themes = given.sharedThemes.filter((one) => {
    const of = new Set(one.evidence.flatMap((id) => evidence.get(id) ?? []));
    return of.size === variants.size;
  });
  const behind = (fact: string, words: string) => `${fact} ${quote(words, MAX_TEXT_LENGTH)}`.trim();
  const texts = [
    ...[given.recommendation, given.sentimentShift, ...headlines.values()],
    ...themes.map(({ theme }) => theme),
  ];
  if (!texts.every((text) => hasOnlyKnownNumbers(text, known))) return null;
  return {
    recommendation: behind(rules.recommendation, given.recommendation),
    perVariant: rules.perVariant.map(({ key, headline }) => ({
      key,
      headline: behind(headline, headlines.get(key) ?? ""),
    })),
    sharedThemes: mergeThemes(
      rules,
      themes.map(({ theme }) => theme),
    ),
    sentimentShift: behind(rules.sentimentShift ?? "", given.sentimentShift),
  };
}

/** The rules' themes and, after them, up to MAX_THEMES of the model's, each once. */
function mergeThemes({ sharedThemes }: DigestText, themes: readonly string[]): string[] {
  const lines = themes.map((theme) => quote(theme, MAX_THEME_LENGTH)).filter((line) => line !== "");
  return [...new Set([...(sharedThemes ?? []), ...lines.slice(0, MAX_THEMES)])];
}
