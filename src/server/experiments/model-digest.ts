/** The words of the account's model in a digest: behind what code has counted, about variants and evidence by short ids. */
import * as z from "zod";
import type { Digest } from "../../contract/experiments.ts";
import { ProviderFault, type ProviderSettings } from "../analysis/provider/faults.ts";
import { ask } from "../analysis/provider/provider.ts";
import { numbersAreFrom } from "../builds/summaries.ts";
import { quote } from "../insights/wording.ts";
import type { Compared } from "./comparison.ts";

type Words = Digest["digest"];

/** A larger share of ids that were never given makes the whole answer unbelievable. */
export const MAX_FOREIGN_SHARE = 0.15;
/** Characters of a tester's words that a model is shown. */
const SHOWN_LENGTH = 200;
/** Themes that a model may add. */
const MAX_THEMES = 5;
/** Characters of each thing a model says. */
const SAID_LENGTH = 600;
const THEME_LENGTH = 120;

const said = z.string().min(1).max(SAID_LENGTH);
const answer = z.object({
  recommendation: said,
  perVariant: z.array(z.object({ id: z.string().max(20), headline: said })).max(50),
  sharedThemes: z
    .array(
      z.object({ theme: z.string().min(1).max(THEME_LENGTH), evidence: z.array(z.string().max(20)).max(50) }),
    )
    .max(20),
  sentimentShift: said,
});
type Answer = z.output<typeof answer>;

const INSTRUCTIONS = `You explain how the variants of a game's A/B experiment compare, to its designers. The material lists the variants with short ids, what code has found of each, and evidence with short ids: tags of friction and praise, and what players wrote. In one or two plain sentences each, add to the recommendation, to the headline of every variant (by its "id", each once) and to how the mood moved; name at most ${MAX_THEMES} themes that all variants share, each with the "evidence" ids it rests on, some of every variant, and no other ids. What code recommends stands: do not name a winner that it does not. Call variants by their names. Do not state numbers.`;

/** What a model adds to the rules' digest; null where its answer does not hold or it gave none. Throws ModelStopped. */
export async function digestByModel(
  provider: ProviderSettings,
  compared: Compared,
  rules: Words,
  stop?: AbortSignal,
): Promise<Words | null> {
  const { variants, evidence, material, known } = materialOf(compared, rules);
  try {
    const question = { name: "digest", instructions: INSTRUCTIONS, material, schema: answer };
    const given = await ask(provider, question, stop);
    return joined(given, rules, { variants, evidence, known });
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    return null;
  }
}

interface Given {
  /** Variant key by short id. */
  readonly variants: ReadonlyMap<string, string>;
  /** The key of the variant that each piece of evidence is of, by short id. */
  readonly evidence: ReadonlyMap<string, string>;
  /** What code wrote: no number stands elsewhere, for players may write any. */
  readonly known: string;
}

/** The variants' own keys stay here: what the model is shown are short ids. */
function materialOf({ comparison }: Compared, rules: Words): Given & { readonly material: unknown } {
  const variants = new Map<string, string>();
  const evidence = new Map<string, string>();
  const headlines = new Map(rules.perVariant.map(({ key, headline }) => [key, headline]));
  const shown = comparison.variants.map(({ key, name, topFriction, topPraise, sampleQuotes }) => {
    const id = `v${variants.size + 1}`;
    variants.set(id, key);
    const piece = (kind: string, text: string) => {
      const short = `e${evidence.size + 1}`;
      evidence.set(short, key);
      return { id: short, kind, text: quote(text, SHOWN_LENGTH) };
    };
    const pieces = [
      ...topFriction.map(({ tag }) => piece("friction", tag)),
      ...topPraise.map(({ tag }) => piece("praise", tag)),
      ...sampleQuotes.map((text) => piece("written", text)),
    ];
    return { id, name: quote(name, SHOWN_LENGTH), found: headlines.get(key) ?? "", evidence: pieces };
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
function joined(given: Answer, rules: Words, { variants, evidence, known }: Given): Words | null {
  const named = given.sharedThemes.flatMap((one) => one.evidence);
  const foreign = named.filter((id) => !evidence.has(id)).length;
  if (foreign > named.length * MAX_FOREIGN_SHARE) return null;
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
  const behind = (fact: string, words: string) => `${fact} ${quote(words, SAID_LENGTH)}`.trim();
  const texts = [
    ...[given.recommendation, given.sentimentShift, ...headlines.values()],
    ...themes.map(({ theme }) => theme),
  ];
  if (!texts.every((text) => numbersAreFrom(text, known))) return null;
  return {
    recommendation: behind(rules.recommendation, given.recommendation),
    perVariant: rules.perVariant.map(({ key, headline }) => ({
      key,
      headline: behind(headline, headlines.get(key) ?? ""),
    })),
    sharedThemes: sharedThemesOf(
      rules,
      themes.map(({ theme }) => theme),
    ),
    sentimentShift: behind(rules.sentimentShift ?? "", given.sentimentShift),
  };
}

/** The rules' themes and, after them, up to MAX_THEMES of the model's, each once. */
function sharedThemesOf({ sharedThemes }: Words, themes: readonly string[]): string[] {
  const lines = themes.map((theme) => quote(theme, THEME_LENGTH)).filter((line) => line !== "");
  return [...new Set([...(sharedThemes ?? []), ...lines.slice(0, MAX_THEMES)])];
}
