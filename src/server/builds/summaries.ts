/** Summaries of builds and testers: computed counts, followed by text from an AI model or from rules. */
import * as z from "zod";
import { formatCount } from "../../shared/words.ts";
import { type FaultReason, ProviderFault, type ProviderSettings } from "../analysis/provider/faults.ts";
import { askModel } from "../analysis/provider/provider.ts";
import { describeTag, type QuestionsByTag } from "../insights/describe-tag.ts";
import { formatDuration, joinWithAnd, quote } from "../insights/wording.ts";
import type { SubjectFacts, SubjectTagCounts, SummarySubject } from "./summary-queries.ts";

export interface WrittenSummary extends SummarySubject {
  readonly narrative: string;
  readonly source: "ai" | "rules";
  /** Why the model failed; null if it succeeded or was not asked. */
  readonly degraded: FaultReason | null;
}

/** Maximum length of each insight title in the prompt, in characters. */
const MAX_PROMPT_TEXT_LENGTH = 200;
/** Maximum length of the model's text in characters. */
const MAX_NARRATIVE_LENGTH = 1500;

const INSTRUCTIONS =
  "Describe for the game's designers, in two to four sentences of plain English, how this build or tester did: what was hard, what went well, and what to look into. Do not state numbers, because the counts are shown separately.";

const answerSchema = z.object({ narrative: z.string().min(1).max(MAX_NARRATIVE_LENGTH) });

/** After one of these faults, the model is not asked again in the same run. */
const persistentFaults: ReadonlySet<FaultReason> = new Set(["unavailable", "timeout", "refused"]);

/**
 * Writes the summaries of all subjects one by one, by rules if there is no provider. Throws ModelStopped if `stop`
 * fires.
 */
export async function writeSummaries(
  provider: ProviderSettings | null,
  subjects: readonly SubjectFacts[],
  questions: QuestionsByTag,
  stop?: AbortSignal,
): Promise<WrittenSummary[]> {
  const written: WrittenSummary[] = [];
  let modelFault: FaultReason | null = null;
  for (const facts of subjects) {
    if (provider === null || modelFault !== null) {
      written.push(toRulesSummary(facts, questions, modelFault));
      continue;
    }
    const summary = await summarizeWithModel(provider, facts, questions, stop);
    if (summary.degraded !== null && persistentFaults.has(summary.degraded)) modelFault = summary.degraded;
    written.push(summary);
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
    const answer = await askModel(provider, question, stop);
    const text = quote(answer.narrative, MAX_NARRATIVE_LENGTH);
    if (text === "" || !hasOnlyKnownNumbers(text, JSON.stringify(material))) {
      return toRulesSummary(facts, questions, "invalid");
    }
    const narrative = `${describeCounts(facts)} ${text}`;
    return { kind, name: facts.name, narrative, source: "ai", degraded: null };
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    return toRulesSummary(facts, questions, error.reason);
  }
}

/** Whether every number in a model's text occurs in its material. Models must not make up counts. */
export function hasOnlyKnownNumbers(text: string, material: string): boolean {
  const known = new Set(extractNumbers(material));
  return extractNumbers(text).every((number) => known.has(number));
}

/** The numbers in a text, in digits of any script. Variants of the same digits (`９`, `²`, `½`) are normalized. */
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

/** The counts of a subject as a sentence. */
function describeCounts({ kind, sessions, testers, activeMs, builds }: SubjectFacts): string {
  const played = `${formatCount(sessions, "session")} with ${formatDuration(activeMs)} of active play`;
  if (kind === "build") return `${formatCount(testers, "tester")} in ${played}.`;
  const [first, last] = [builds[0] ?? "", builds.at(-1) ?? ""];
  return `${played} ${first === last ? `on build ${first}` : `from build ${first} to ${last}`}.`;
}

/** A summary based only on the counts. */
function summarizeByRules(facts: SubjectFacts, questions: QuestionsByTag): string {
  const listTags = (label: string, tags: readonly SubjectTagCounts[]) =>
    tags.length === 0
      ? []
      : [`${label}: ${joinWithAnd(tags.map((tag) => formatTagCounts(tag, facts.kind, questions)))}.`];
  const sentences = [...listTags("Top friction", facts.friction), ...listTags("Top praise", facts.praise)];
  return [
    describeCounts(facts),
    ...(sentences.length === 0 ? ["No friction or praise was found."] : sentences),
  ].join(" ");
}

function formatTagCounts(
  { tag, testers, insights }: SubjectTagCounts,
  kind: SummarySubject["kind"],
  questions: QuestionsByTag,
): string {
  const { theme } = describeTag(tag, questions);
  // A session has at most one insight per tag, so the insights of a tester are as many sessions.
  return `${theme} (${kind === "build" ? formatCount(testers, "tester") : `in ${formatCount(insights, "session")}`})`;
}
