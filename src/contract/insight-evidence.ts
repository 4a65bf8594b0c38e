/** One insight with its evidence: the events that it refers to, and the words of testers that it quotes. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, orNull, pathText, unixMs } from "./fields.ts";
import { insightWithClaims } from "./insights.ts";
import { sessionEvent } from "./session-events.ts";

export const MAX_EVIDENCE_EVENTS = 200;

/** A tester as responses name it. */
export const testerRef = z.object({
  handle: orNull(z.string()),
  deviceId: orNull(z.string()),
});

const { cited: _cited, ...eventFields } = sessionEvent.shape;

export const evidenceEvent = z.object({
  ...eventFields,
  sessionId: z.string().describe("A later session if a crash was reported at the next start"),
});
export type EvidenceEvent = z.output<typeof evidenceEvent>;

export const evidenceQuote = z.object({
  id: z
    .string()
    .describe(
      "ID of the answer (`resp_...`) or bug report (`bug_...`), or the number of a sentence of the transcript",
    ),
  submissionId: orNull(z.string()).describe("ID of the feedback submission; null unless it is an answer"),
  question: orNull(z.string()).describe("The question; null unless it is an answer"),
  text: z.string().describe("What the tester answered, reported or said"),
  createdAt: orNull(unixMs).describe("Time of receipt, unix ms; null for a sentence of the transcript"),
});
export type EvidenceQuote = z.output<typeof evidenceQuote>;

export const getInsight = defineRead({
  name: "getInsight",
  tool: "get_insight",
  path: "/api/v1/insights/{id}",
  summary: "Get an insight with its evidence: the events and answers that it refers to",
  tag: "insights",
  extension: true,
  names: { id: "insight" },
  params: z.object({ id: pathText.describe("ID of the insight") }),
  response: z.object({
    insight: insightWithClaims,
    gameId: orNull(z.string().describe("ID of the game")),
    build: z.string(),
    environment: z.string(),
    recordedAt: unixMs.describe("When the session started, unix ms"),
    tester: testerRef,
    events: z
      .array(evidenceEvent)
      .describe(`The events that the insight refers to, by time; at most ${MAX_EVIDENCE_EVENTS}`),
    eventCount: count.describe("Number of events that the insight refers to"),
    missingEvents: count.describe(
      "Number of events that are no longer stored or cannot be read, because of pruning or damaged data",
    ),
    prunedAt: orNull(unixMs).describe("When pruning removed the events of the session, unix ms"),
    quotes: z.array(evidenceQuote).describe("The words of the tester that the insight refers to"),
  }),
});
export type InsightEvidence = z.output<typeof getInsight.response>;
