/** The verdict of the gate as JSON. The format is stable: every incompatible change increases its version. */
import * as z from "zod";
import { scorecardUnits } from "../contract/scorecard.ts";
import { verdict } from "../contract/verdict.ts";

export const VERDICT_VERSION = 2;

const verdictBuild = z.object({
  version: z.string(),
  testers: z.int().describe("Distinct testers in the environment"),
  ended: z.int().nullable().describe("Sessions that have ended. Null if the service does not report it"),
  analyzed: z.int().nullable().describe("Ended sessions that are analyzed. Null if unknown"),
});

const evidence = z.object({
  insightId: z.string().nullable().describe("Null for a session that quit in the room"),
  sessionId: z.string(),
  title: z.string().nullable(),
  activeSec: z
    .number()
    .nullable()
    .describe("Active seconds of the session until it showed; null if it is about no moment"),
});
export type Evidence = z.output<typeof evidence>;

export const rulings = [
  "failed",
  "warned",
  "unsure",
  "allowed",
  "watch",
  "passed",
  "off",
  "not comparable",
] as const;
export type Ruling = (typeof rulings)[number];

const side = z.object({
  total: z.int().describe("Testers who count"),
  count: z.number().nullable().describe("Those of them with the outcome; null for means"),
  value: z.number().nullable().describe("Share from 0 to 1, or mean; null if nobody counts"),
});

const check = z.object({
  id: z.string().describe("The tag for friction, otherwise the metric, such as `quit:furnace`"),
  title: z.string().describe("The row in words. It may change; the id identifies it"),
  metric: z.string(),
  family: z.string(),
  unit: z.enum(scorecardUnits),
  kind: z.string().nullable().describe("Kind of change as the service reports it; null if it reports none"),
  status: z.enum(["not comparable", "worse", "better", "ruled out", "unclear"]),
  ruling: z
    .enum(rulings)
    .describe(
      "failed and warned: worse by more than the limit; unsure: it would fail or warn, but its rule needs more testers; " +
        "allowed: excepted for now; watch: worse, but it may be chance; passed: none of these; off: does not decide",
    ),
  level: z.enum(["off", "warn", "error"]),
  limit: z.number().nullable().describe("Limit of the rule, in the unit of the row; null without one"),
  reason: z.string().nullable().describe("Why the row is not comparable, or the reason of the exception"),
  isNewRoom: z.boolean().describe("Whether nobody of a entered the room, so that b is judged alone"),
  newOnly: z.boolean().describe("Whether only testers who had not played a count, in a new room"),
  isIntroduced: z.boolean().describe("Whether the row is worse and came with b: rare in a, or in a new room"),
  a: side,
  b: side,
  difference: z.number().nullable(),
  range: z
    .object({ low: z.number(), high: z.number() })
    .nullable()
    .describe("Range of the difference at the corrected level; for a new room, of the share in b"),
  pValue: z.number().nullable(),
  adjustedPValue: z.number().nullable().describe("Corrected for the family"),
  evidence: z.array(evidence).describe("Sessions of build b with this tag, or that quit in this room"),
});
export type GateCheck = z.output<typeof check>;

const limit = z.object({
  name: z.string(),
  status: z
    .enum(["passed", "failed", "warned", "noise", "unknown"])
    .describe(
      "noise: the value is beyond the limit, but its interval is not; unknown: there is no value, or it is beyond " +
        "the limit but was not checked",
    ),
  reason: z
    .string()
    .nullable()
    .describe(
      "Why a value beyond the limit was not checked, such as too few testers. Null if it was checked",
    ),
  expected: z.string(),
  found: z.string(),
  interval: z
    .object({ low: z.string(), high: z.string() })
    .nullable()
    .describe(
      "Confidence interval of the value. Null if the service does not report what each tester played, or fewer testers than " +
        "the minimum have a value",
    ),
});
export type LimitFinding = z.output<typeof limit>;

const allowance = z.object({
  tag: z.string(),
  reason: z.string(),
  expires: z.string(),
  state: z.enum(["active", "expiring", "expired"]),
  used: z.boolean().describe("Whether the exception allowed anything"),
});
export type Allowance = z.output<typeof allowance>;

export const gateVerdict = z.object({
  schemaVersion: z.literal(VERDICT_VERSION),
  verdict: z.enum(["passed", "failed", "inconclusive"]),
  reasons: z.array(z.string()).describe("Why the gate did not pass, one text per reason"),
  game: z.string().describe("Slug of the game"),
  environment: z.string(),
  a: verdictBuild,
  b: verdictBuild,
  isTested: z
    .boolean()
    .describe("Whether the service reports what each tester did. Otherwise increases are not tested"),
  judged: z.int().describe("Number of rows that could have failed"),
  detection: z
    .object({
      testersB: z
        .int()
        .nullable()
        .describe("Testers of b that a new problem must affect to be noticed. Null if no number is enough"),
      detectPoints: z.number(),
      power: z
        .number()
        .describe("Probability to notice a new problem that affects detectPoints percent of testers, 0 to 1"),
      sufficient: z.boolean().describe("Whether the power is at least 70%"),
      enoughTesters: z
        .int()
        .nullable()
        .describe("Testers per build to notice it with a probability of 70%. Null if no number is enough"),
    })
    .nullable()
    .describe(
      "What could have been noticed. Null if nothing is tested, or new problems do not fail the gate",
    ),
  checks: z.array(check).describe("All rows of the scorecard, those that matter most first"),
  limits: z.array(limit),
  allow: z.array(allowance),
  notes: z.array(z.string()).describe("Further information, one sentence per note"),
  suggestions: z
    .array(
      z.object({
        title: z.string(),
        rationale: z.string(),
        confidence: z.number().describe("Strength of the evidence, from 0 to 1. Not a probability"),
      }),
    )
    .describe("Suggested changes; they do not affect the verdict"),
});
export type GateVerdict = z.output<typeof gateVerdict>;

export const addNote = (verdict: GateVerdict, note: string): GateVerdict => ({
  ...verdict,
  notes: [...verdict.notes, note],
});

/** The verdict as programs read it. */
export const gateDocument = gateVerdict.extend({
  summary: verdict.describe("The verdict in the words of every report"),
});
