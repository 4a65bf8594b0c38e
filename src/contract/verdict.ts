/** The verdict about a build, in words that everything which shows it repeats unchanged. */
import * as z from "zod";
import { count, DEFAULT_ENV, openEnum, unixMs } from "./fields.ts";

export const MAX_VERDICT_CHANGES = 5;

/** The flag of a command about play in an environment; none for production, which is the default. */
export const inEnvironment = (environment: string): string[] =>
  environment === DEFAULT_ENV ? [] : ["--env", environment];

/** A session that shows something, and when. */
export const sessionMoment = z.object({
  sessionId: z.string(),
  insightId: z
    .string()
    .nullable()
    .describe("The insight with the tag; null for a session that quit in the room"),
  title: z.string().nullable().describe("The insight in one line"),
  activeSec: z
    .number()
    .nullable()
    .describe("Active seconds of the session until the insight showed; null if it is about no moment"),
});
export type SessionMoment = z.output<typeof sessionMoment>;

export const sessionEvidence = sessionMoment.extend({
  sessionTitle: z.string(),
  testerHandle: z.string().nullable(),
  recordedAt: unixMs.describe("When the session started, unix ms"),
  duration: z.int().describe("Wall time of the session in seconds"),
});
export type SessionEvidence = z.output<typeof sessionEvidence>;

export const verdictStatuses = [
  ...(["worse", "mixed", "better", "unclear"] as const),
  ...(["failed", "passed", "inconclusive"] as const),
] as const;
export type VerdictStatus = (typeof verdictStatuses)[number];

const verdictBuild = z.object({ version: z.string(), testers: count });

const verdictChange = z.object({
  id: z.string().describe("The tag for friction, otherwise the metric, such as `quit:furnace`"),
  title: z.string().describe("The row in words"),
  status: openEnum(["not comparable", "worse", "better", "ruled out", "unclear"]),
  found: z.string().describe("What was counted, such as `1/13 → 11/18`"),
  change: z.string().describe("The difference or the limit, such as `+53 pts`"),
  sessions: z.array(sessionMoment).describe("Sessions that show it, the clearest first"),
});

export const verdict = z.object({
  status: openEnum(verdictStatuses).describe(
    "mixed: worse and better; inconclusive: too few testers; failed and passed are those of the gate",
  ),
  answer: z.string().describe("The answer in one line, such as `0.9.0 vs 0.8.0: worse in 3 ways`"),
  game: z.string().describe("The slug"),
  environment: z.string(),
  a: verdictBuild,
  b: verdictBuild,
  changes: z.array(verdictChange).describe(`At most ${MAX_VERDICT_CHANGES}, those that matter most first`),
  next: z
    .array(z.string())
    .nullable()
    .describe("The words of the command to run next, after `playtest`; null if there is none"),
});
export type Verdict = z.output<typeof verdict>;

/** Without what a session is like. */
export const toMoment = ({ sessionId, insightId, title, activeSec }: SessionMoment): SessionMoment => ({
  ...{ sessionId, insightId, title, activeSec },
});
