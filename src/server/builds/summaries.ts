/** Summaries of builds and testers: counts by code, and around them a model's words, else the rules'. */
import * as z from "zod";
import { type FaultReason, ProviderFault, type ProviderSettings } from "../analysis/provider/faults.ts";
import { ask } from "../analysis/provider/provider.ts";
import { type Questions, tagWords } from "../insights/tag-words.ts";
import { counted, joined, quote, spanText, timesOver } from "../insights/wording.ts";
import type { Subject, SubjectFacts, TagFact } from "./summary-queries.ts";

/** A summary, and who wrote it. */
export interface Narrated extends Subject {
  readonly narrative: string;
  readonly source: "ai" | "rules";
  /** Why a model that was asked gave nothing; null where it did, or none was asked. */
  readonly degraded: FaultReason | null;
}

/** Characters of a tester's words that a model is shown. */
const SHOWN_LENGTH = 200;
/** Characters of a model's words that are kept. */
const NARRATIVE_LENGTH = 1500;

const INSTRUCTIONS =
  "Describe, in two to four plain sentences for a game's designers, how this build or tester fared: what was hard, what went well, what to look at. Do not state numbers: the counts are told elsewhere.";

const answer = z.object({ narrative: z.string().min(1).max(NARRATIVE_LENGTH) });

/** A model that does not answer at all is not asked again in the same run. */
const lasting: ReadonlySet<FaultReason> = new Set(["unavailable", "timeout", "refused"]);

/** Writes the summaries of all subjects, one after the other; without a provider by rules. Throws ModelStopped once `stop` fires. */
export async function narrate(
  provider: ProviderSettings | null,
  subjects: readonly SubjectFacts[],
  questions: Questions,
  stop?: AbortSignal,
): Promise<Narrated[]> {
  const written: Narrated[] = [];
  let given: FaultReason | null = null;
  for (const facts of subjects) {
    if (provider === null || given !== null) {
      written.push(byRules(facts, questions, given));
      continue;
    }
    const one = await byModel(provider, facts, questions, stop);
    if (one.degraded !== null && lasting.has(one.degraded)) given = one.degraded;
    written.push(one);
  }
  return written;
}

async function byModel(
  provider: ProviderSettings,
  facts: SubjectFacts,
  questions: Questions,
  stop: AbortSignal | undefined,
): Promise<Narrated> {
  const { kind, friction, praise, builds } = facts;
  const titles = facts.titles.map((title) => quote(title, SHOWN_LENGTH));
  const material = { kind, builds, friction, praise, found: titles };
  try {
    const question = { name: "summary", instructions: INSTRUCTIONS, material, schema: answer };
    const said = await ask(provider, question, stop);
    const words = quote(said.narrative, NARRATIVE_LENGTH);
    if (words === "" || !numbersAreFrom(words, JSON.stringify(material))) {
      return byRules(facts, questions, "invalid");
    }
    const narrative = `${opening(facts)} ${words}`;
    return { kind, name: facts.name, narrative, source: "ai", degraded: null };
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    return byRules(facts, questions, error.reason);
  }
}

/** Whether every number in a model's words stands in what it was shown: counts are not a model's to make. */
export function numbersAreFrom(words: string, material: string): boolean {
  const known = new Set(numbersIn(material));
  return numbersIn(words).every((number) => known.has(number));
}

/** The numbers of a text in digits of any script; in another form of the same digits (`９`, `²`, `½`) they are the same. */
function numbersIn(text: string): readonly string[] {
  return text.normalize("NFKC").match(/\p{Nd}+/gu) ?? [];
}

function byRules(facts: SubjectFacts, questions: Questions, degraded: FaultReason | null): Narrated {
  const { kind, name } = facts;
  return { kind, name, narrative: summarizeByRules(facts, questions), source: "rules", degraded };
}

/** The counts of a subject, in a sentence. */
function opening({ kind, sessions, testers, activeMs, builds }: SubjectFacts): string {
  const played = `${counted(sessions, "session")} with ${spanText(activeMs)} of active play`;
  if (kind === "build") return `${counted(testers, "tester")} in ${played}.`;
  const [first, last] = [builds[0] ?? "", builds.at(-1) ?? ""];
  return `${played} ${first === last ? `on build ${first}` : `from build ${first} to ${last}`}.`;
}

/** A summary from the counts alone. */
export function summarizeByRules(facts: SubjectFacts, questions: Questions): string {
  const said = (label: string, tags: readonly TagFact[]) =>
    tags.length === 0 ? [] : [`${label}: ${joined(tags.map((tag) => wordsOf(tag, facts.kind, questions)))}.`];
  const told = [...said("Most friction", facts.friction), ...said("Went well", facts.praise)];
  return [opening(facts), ...(told.length === 0 ? ["Nothing stood out."] : told)].join(" ");
}

function wordsOf({ tag, testers, insights }: TagFact, kind: Subject["kind"], questions: Questions): string {
  const { theme } = tagWords(tag, questions);
  return `${theme} (${kind === "build" ? counted(testers, "tester") : timesOver(insights)})`;
}
