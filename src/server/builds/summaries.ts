/** Summaries of builds and testers: counts by code, and around them a model's words, else the rules'. */
import * as z from "zod";
import { type FaultReason, ProviderFault, type ProviderSettings } from "../analysis/provider/faults.ts";
import { askModel } from "../analysis/provider/provider.ts";
import { describeTag, type QuestionsByTag } from "../insights/describe-tag.ts";
import { formatCount, formatDuration, formatTimes, joinWithAnd, quote } from "../insights/wording.ts";
import type { SubjectFacts, SubjectTagCounts, SummarySubject } from "./summary-queries.ts";

/** A summary, and who wrote it. */
export interface WrittenSummary extends SummarySubject {
  readonly narrative: string;
  readonly source: "ai" | "rules";
  /** Why a model that was asked gave nothing; null where it did, or none was asked. */
  readonly degraded: FaultReason | null;
}

/** Characters of a tester's words that a model is shown. */
const MAX_PROMPT_TEXT_LENGTH = 200;
/** Characters of a model's words that are kept. */
const MAX_NARRATIVE_LENGTH = 1500;

const INSTRUCTIONS =
  "Describe, in two to four plain sentences for a game's designers, how this build or tester fared: what was hard, what went well, what to look at. Do not state numbers: the counts are told elsewhere.";

const answerSchema = z.object({ narrative: z.string().min(1).max(MAX_NARRATIVE_LENGTH) });

/** A model that does not answer at all is not asked again in the same run. */
const persistentFaults: ReadonlySet<FaultReason> = new Set(["unavailable", "timeout", "refused"]);

/** Writes the summaries of all subjects, one after the other; without a provider by rules. Throws ModelStopped once `stop` fires. */
export async function writeSummaries(
  provider: ProviderSettings | null,
  subjects: readonly SubjectFacts[],
  questions: QuestionsByTag,
  stop?: AbortSignal,
): Promise<WrittenSummary[]> {
  const written: WrittenSummary[] = [];
  let given: FaultReason | null = null;
  for (const facts of subjects) {
    if (provider === null || given !== null) {
      written.push(toRulesSummary(facts, questions, given));
      continue;
    }
    const one = await summarizeWithModel(provider, facts, questions, stop);
    if (one.degraded !== null && persistentFaults.has(one.degraded)) given = one.degraded;
    written.push(one);
  }
  return written;
}

async function summarizeWithModel(
  provider: ProviderSettings,
  facts: SubjectFacts,
  questions: QuestionsByTag,
  stop: AbortSignal | undefined,
): Promise<WrittenSummary> {
  const { kind, friction, praise, builds } = facts;
  const titles = facts.titles.map((title) => quote(title, MAX_PROMPT_TEXT_LENGTH));
  const material = { kind, builds, friction, praise, found: titles };
  try {
    const question = { name: "summary", instructions: INSTRUCTIONS, material, schema: answerSchema };
    const said = await askModel(provider, question, stop);
    const words = quote(said.narrative, MAX_NARRATIVE_LENGTH);
    if (words === "" || !hasOnlyKnownNumbers(words, JSON.stringify(material))) {
      return toRulesSummary(facts, questions, "invalid");
    }
    const narrative = `${describeCounts(facts)} ${words}`;
    return { kind, name: facts.name, narrative, source: "ai", degraded: null };
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    return toRulesSummary(facts, questions, error.reason);
  }
}

/** Whether every number in a model's words stands in what it was shown: counts are not a model's to make. */
export function hasOnlyKnownNumbers(words: string, material: string): boolean {
  const known = new Set(extractNumbers(material));
  return extractNumbers(words).every((number) => known.has(number));
}

/** The numbers of a text in digits of any script; in another form of the same digits (`９`, `²`, `½`) they are the same. */
function extractNumbers(text: string): readonly string[] {
  return text.normalize("NFKC").match(/\p{Nd}+/gu) ?? [];
}

function toRulesSummary(
  facts: SubjectFacts,
  questions: QuestionsByTag,
  degraded: FaultReason | null,
): WrittenSummary {
  const { kind, name } = facts;
  return { kind, name, narrative: summarizeByRules(facts, questions), source: "rules", degraded };
}

/** The counts of a subject, in a sentence. */
function describeCounts({ kind, sessions, testers, activeMs, builds }: SubjectFacts): string {
  const played = `${formatCount(sessions, "session")} with ${formatDuration(activeMs)} of active play`;
  if (kind === "build") return `${formatCount(testers, "tester")} in ${played}.`;
  const [first, last] = [builds[0] ?? "", builds.at(-1) ?? ""];
  return `${played} ${first === last ? `on build ${first}` : `from build ${first} to ${last}`}.`;
}

/** A summary from the counts alone. */
export function summarizeByRules(facts: SubjectFacts, questions: QuestionsByTag): string {
  const said = (label: string, tags: readonly SubjectTagCounts[]) =>
    tags.length === 0
      ? []
      : [`${label}: ${joinWithAnd(tags.map((tag) => formatTagCounts(tag, facts.kind, questions)))}.`];
  const told = [...said("Most friction", facts.friction), ...said("Went well", facts.praise)];
  return [describeCounts(facts), ...(told.length === 0 ? ["Nothing stood out."] : told)].join(" ");
}

function formatTagCounts(
  { tag, testers, insights }: SubjectTagCounts,
  kind: SummarySubject["kind"],
  questions: QuestionsByTag,
): string {
  const { theme } = describeTag(tag, questions);
  return `${theme} (${kind === "build" ? formatCount(testers, "tester") : formatTimes(insights)})`;
}
