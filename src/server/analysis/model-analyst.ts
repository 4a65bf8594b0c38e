/**
 * Asks the account's AI model for findings that the rules missed. Only findings backed by the given evidence are kept.
 */
import * as z from "zod";
import { insightTypes, sentiments } from "../../contract/insights.ts";
import type { SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { formatTag, quote } from "../insights/wording.ts";
import { findMeaning } from "./meanings.ts";
import {
  type FaultReason,
  getPauseReason,
  ProviderFault,
  type ProviderSettings,
  pauseModel,
} from "./provider/faults.ts";
import { limitModel } from "./provider/limit-model.ts";
import { askModel } from "./provider/provider.ts";
import { findChatModel } from "./provider/provider-queries.ts";
import {
  type RecordedSession,
  readRoom,
  type SessionEvent,
  type SessionFinding,
} from "./recorded-session.ts";
import { roundConfidence } from "./rules/rule.ts";
import { splitSentences } from "./rules/transcript.ts";

/** Maximum time the analysis of a session waits for a model, in ms. The worker renews its lease meanwhile. */
export const MODEL_TIMEOUT_MS = 40_000;
/** If a larger share of the evidence ids is unknown, the whole response is rejected. */
const MAX_UNKNOWN_ID_SHARE = 0.15;
/** Maximum numbers of items in the prompt and maximum lengths of their texts in characters. */
const PROMPT_LIMITS = {
  events: 80,
  names: 50,
  answers: 30,
  sentences: 200,
  textLength: 500,
  sentenceLength: 200,
  stateLength: 2000,
} as const;
const MAX_INSIGHTS = 8;

const findingTypes = insightTypes.filter((type) => type !== "session-summary");

const answerSchema = z.object({
  insights: z
    .array(
      z.object({
        type: z.enum(findingTypes),
        sentiment: z.enum(sentiments),
        confidence: z.number().min(0).max(1),
        where: z.string().min(1).max(60),
        title: z.string().min(1).max(200),
        evidence: z.array(z.string().max(20)).max(50),
      }),
    )
    .max(20),
});

const INSTRUCTIONS = `You analyze one playtest session of a game. The material contains the last state of the game, the number of times each event occurred, notable events, the tester's answers and the transcript of a recording, with short ids, and the findings of the built-in rules. Report at most ${MAX_INSIGHTS} things that the rules have missed. It is fine to report none. Each insight lists the ids that support it in "evidence", and no other ids; "where" is the room or topic; "negative-moment" means that the player left a room without completing it; "confidence" is from 0 to 1. Write each title as a short, plain statement. Do not state counts.`;

/** The beginning of the evidence of every finding of a model. The evidence of rules never begins with it. */
const MODEL_EVIDENCE = "Found by the AI model, based on ";

/** Whether an insight with this evidence was found by a model. */
export function isModelEvidence(evidence: string): boolean {
  return evidence.startsWith(MODEL_EVIDENCE);
}

/** The findings of the model. `degraded` is the reason if it failed, else null. */
interface ModelFindings {
  readonly findings: readonly SessionFinding[];
  readonly degraded: FaultReason | null;
}

/** Asks the model about a session. Throws ModelStopped if `stop` fires. */
async function askAboutSession(
  provider: ProviderSettings,
  { ids, material }: ModelMaterial,
  ruleFindings: readonly SessionFinding[],
  stop: AbortSignal,
): Promise<ModelFindings> {
  const settings = { ...provider, timeout_ms: Math.min(provider.timeout_ms, MODEL_TIMEOUT_MS) };
  const question = { name: "insights", instructions: INSTRUCTIONS, material, schema: answerSchema };
  try {
    const answer = await askModel(settings, question, stop);
    const citedIds = answer.insights.flatMap(({ evidence }) => evidence);
    if (citedIds.filter((id) => !ids.has(id)).length > citedIds.length * MAX_UNKNOWN_ID_SHARE) {
      return { findings: [], degraded: "invalid" };
    }
    const usedTags = new Set(ruleFindings.map(({ tag }) => tag));
    return { findings: toFindings(answer.insights, ids, usedTags), degraded: null };
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    return { findings: [], degraded: error.reason };
  }
}

/** What a model is asked about, and the evidence that each short id in it means. */
export interface ModelMaterial {
  readonly ids: ReadonlyMap<string, string>;
  readonly material: unknown;
}

/** Describes a session for a model, without the events named in `hidden`. */
export function buildMaterial(
  session: RecordedSession,
  ruleFindings: readonly SessionFinding[],
  hidden: ReadonlySet<string>,
): ModelMaterial {
  const ids = new Map<string, string>();
  const counts = new Map<string, number>();
  const events: unknown[] = [];
  const start = session.events[0]?.timestamp ?? 0;
  for (const event of session.events) {
    if (hidden.has(event.name)) continue;
    const name = quote(event.name);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (events.length === PROMPT_LIMITS.events || !isNotable(event, session)) continue;
    const id = `e${events.length + 1}`;
    ids.set(id, `event ${quote(event.id, 64)}`);
    const data = quote(JSON.stringify(event.data ?? {}), PROMPT_LIMITS.textLength);
    events.push({ id, name, room: quote(readRoom(event) ?? ""), atMs: event.timestamp - start, data });
  }
  const answers = (session.feedback ?? []).slice(0, PROMPT_LIMITS.answers).map(({ id, label, value }, at) => {
    ids.set(`r${at + 1}`, `response ${id}`);
    return { id: `r${at + 1}`, asked: quote(label), answered: quote(value, PROMPT_LIMITS.textLength) };
  });
  const sentences = splitSentences(session.transcript ?? "", PROMPT_LIMITS.sentences).map((sentence, at) => {
    ids.set(`t${at + 1}`, `sentence ${at + 1} of the transcript`);
    return { id: `t${at + 1}`, said: quote(sentence, PROMPT_LIMITS.sentenceLength) };
  });
  const mostFrequent = [...counts].sort(([, a], [, b]) => b - a).slice(0, PROMPT_LIMITS.names);
  const state = quote(JSON.stringify(session.snapshot ?? {}), PROMPT_LIMITS.stateLength);
  const known = ruleFindings.map(({ tag, title }) => ({ tag, title }));
  return { ids, material: { state, counts: mostFrequent, events, answers, said: sentences, found: known } };
}

/** Whether the model sees an event itself, not only the number of events with its name. */
function isNotable({ name }: SessionEvent, { meanings }: RecordedSession): boolean {
  const meaning = findMeaning(name, meanings);
  return meaning !== null && meaning !== "start" && meaning !== "reset";
}

/** Converts insights to findings. Insights without known evidence or with a tag that is already used are dropped. */
function toFindings(
  insights: z.output<typeof answerSchema>["insights"],
  ids: ReadonlyMap<string, string>,
  usedTags: Set<string>,
): SessionFinding[] {
  return insights
    .slice(0, MAX_INSIGHTS)
    .flatMap(({ type, sentiment, confidence, where, title, evidence }) => {
      const sources = [...new Set(evidence.flatMap((id) => ids.get(id) ?? []))];
      const tag = formatTag(type, where);
      const line = quote(title, 200);
      if (sources.length === 0 || line === "" || usedTags.has(tag)) return [];
      usedTags.add(tag);
      const source = `${MODEL_EVIDENCE}${sources.join(", ")}`;
      return [
        {
          type,
          sentiment,
          confidence: roundConfidence(confidence),
          tag,
          title: line,
          evidence: source,
          claims: [],
        },
      ];
    });
}

/** Notes in the session summary that the AI model failed, and why. */
function markDegraded(findings: readonly SessionFinding[], reason: FaultReason): SessionFinding[] {
  return findings.map((finding) =>
    finding.type === "session-summary"
      ? {
          ...finding,
          evidence: `${finding.evidence}; generated by rules only, because the AI model failed (${reason})`,
        }
      : finding,
  );
}

/** Whether a session has no events, answers or transcript to analyze. */
export function hasNothingToAnalyze({ events, feedback = [], transcript }: RecordedSession): boolean {
  return events.length === 0 && feedback.length === 0 && !transcript?.trim();
}

/**
 * The rules' findings plus those of the model, if there is one. If the model fails, the summary is marked as degraded.
 * Throws ModelStopped when the service stops.
 */
export async function addModelFindings(
  service: Service,
  { account_id }: Pick<SessionRow, "account_id">,
  material: ModelMaterial,
  ruleFindings: readonly SessionFinding[],
): Promise<readonly SessionFinding[]> {
  const provider = await findChatModel(service.store.readDb, account_id);
  if (!provider) return ruleFindings;
  const paused = getPauseReason(service, account_id);
  if (paused !== null) return markDegraded(ruleFindings, paused);
  const limited = limitModel(service, provider);
  const { findings, degraded } = await askAboutSession(limited, material, ruleFindings, service.stopping);
  if (degraded === null) return [...ruleFindings, ...findings];
  pauseModel(service, account_id, degraded);
  return markDegraded(ruleFindings, degraded);
}
