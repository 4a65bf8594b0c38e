/** The account's model as a second analyst of a session: it adds what it can ground in what it was shown, or nothing. */
import * as z from "zod";
import { insightTypes, sentiments } from "../../contract/insights.ts";
import { formatTag, quote } from "../insights/wording.ts";
import { findMeaning } from "./meanings.ts";
import { type FaultReason, ProviderFault, type ProviderSettings } from "./provider/faults.ts";
import { askModel } from "./provider/provider.ts";
import { type RecordedSession, readRoom, type SessionFinding } from "./recorded-session.ts";
import { roundConfidence } from "./rules/rule.ts";
import { splitSentences } from "./rules/transcript.ts";

/** How long the analysis of a session waits for a model, ms. The worker renews its lease meanwhile. */
export const MODEL_TIMEOUT_MS = 40_000;
/** A larger share of ids that were never given makes the whole answer unbelievable. */
const MAX_UNKNOWN_ID_SHARE = 0.15;
/** What is shown of a session at most, and how long each piece of a tester's words is; of a transcript the beginning. */
const PROMPT_LIMITS = {
  ...{ events: 80, names: 50, answers: 30, sentences: 200 },
  ...{ textLength: 500, sentenceLength: 200, stateLength: 2000 },
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

const INSTRUCTIONS = `You analyse one playtest session of a game. The material lists its last state, how often events occurred, events worth a look, the tester's answers and what was said in a recording, each with a short id, and what rules have found already. Tell at most ${MAX_INSIGHTS} things the rules have missed; none is a good answer. Each names the ids it rests on in "evidence", and no other ids; "where" is the room or topic; "confidence" is from 0 to 1. Do not state counts.`;

/** What the model adds to the rules' findings; `degraded` tells why it added nothing where it failed. */
export interface ModelFindings {
  readonly findings: readonly SessionFinding[];
  readonly degraded: FaultReason | null;
}

/** Asks the model about a session. Events of the names in `hidden` are not shown. Throws ModelStopped once `stop` fires. */
export async function askAboutSession(
  provider: ProviderSettings,
  play: RecordedSession,
  found: readonly SessionFinding[],
  { hidden, stop }: { readonly hidden: ReadonlySet<string>; readonly stop?: AbortSignal },
): Promise<ModelFindings> {
  const { ids, material } = buildMaterial(play, found, hidden);
  const settings = { ...provider, timeout_ms: Math.min(provider.timeout_ms, MODEL_TIMEOUT_MS) };
  const question = { name: "insights", instructions: INSTRUCTIONS, material, schema: answerSchema };
  try {
    const given = await askModel(settings, question, stop);
    const named = given.insights.flatMap(({ evidence }) => evidence);
    if (named.filter((id) => !ids.has(id)).length > named.length * MAX_UNKNOWN_ID_SHARE) {
      return { findings: [], degraded: "invalid" };
    }
    const taken = new Set(found.map(({ tag }) => tag));
    return { findings: toFindings(given.insights, ids, taken), degraded: null };
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    return { findings: [], degraded: error.reason };
  }
}

function buildMaterial(play: RecordedSession, found: readonly SessionFinding[], hidden: ReadonlySet<string>) {
  const ids = new Map<string, string>();
  const counts = new Map<string, number>();
  const events: unknown[] = [];
  const start = play.events[0]?.timestamp ?? 0;
  for (const event of play.events) {
    if (hidden.has(event.name)) continue;
    const name = quote(event.name);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (events.length === PROMPT_LIMITS.events || findMeaning(event.name, play.meanings) === null) continue;
    const id = `e${events.length + 1}`;
    ids.set(id, `event ${quote(event.id, 64)}`);
    const said = quote(JSON.stringify(event.data ?? {}), PROMPT_LIMITS.textLength);
    events.push({ id, name, room: quote(readRoom(event) ?? ""), atMs: event.timestamp - start, data: said });
  }
  const answers = (play.feedback ?? []).slice(0, PROMPT_LIMITS.answers).map(({ id, label, value }, at) => {
    ids.set(`r${at + 1}`, `response ${id}`);
    return { id: `r${at + 1}`, asked: quote(label), answered: quote(value, PROMPT_LIMITS.textLength) };
  });
  const said = splitSentences(play.transcript ?? "", PROMPT_LIMITS.sentences).map((sentence, at) => {
    ids.set(`t${at + 1}`, `sentence ${at + 1} of the transcript`);
    return { id: `t${at + 1}`, said: quote(sentence, PROMPT_LIMITS.sentenceLength) };
  });
  const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, PROMPT_LIMITS.names);
  const state = quote(JSON.stringify(play.snapshot ?? {}), PROMPT_LIMITS.stateLength);
  const known = found.map(({ tag, title }) => ({ tag, title }));
  return { ids, material: { state, counts: most, events, answers, said, found: known } };
}

/** The insights as findings: each with evidence that was given, and no tag that is taken. */
function toFindings(
  insights: z.output<typeof answerSchema>["insights"],
  ids: ReadonlyMap<string, string>,
  taken: Set<string>,
): SessionFinding[] {
  return insights
    .slice(0, MAX_INSIGHTS)
    .flatMap(({ type, sentiment, confidence, where, title, evidence }) => {
      const real = [...new Set(evidence.flatMap((id) => ids.get(id) ?? []))];
      const tag = formatTag(type, where);
      const line = quote(title, 200);
      if (real.length === 0 || line === "" || taken.has(tag)) return [];
      taken.add(tag);
      const from = `Told by the account's model from ${real.join(", ")}`;
      return [{ type, sentiment, confidence: roundConfidence(confidence), tag, title: line, evidence: from }];
    });
}

/** The findings with the session's summary marked as made without the model that was asked. */
export function markDegraded(findings: readonly SessionFinding[], reason: FaultReason): SessionFinding[] {
  return findings.map((finding) =>
    finding.type === "session-summary"
      ? {
          ...finding,
          evidence: `${finding.evidence}; degraded: by rules alone, the model gave nothing (${reason})`,
        }
      : finding,
  );
}
