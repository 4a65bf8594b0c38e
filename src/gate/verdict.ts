/** The verdict of the gate as JSON. The format is stable: every incompatible change increases its version. */
import * as z from "zod";
import { buildOutcomes } from "../contract/builds.ts";

export const VERDICT_VERSION = 1;

export const findingStatuses = ["failed", "warned", "noise", "small", "unsure", "allowed", "off"] as const;
export type FindingStatus = (typeof findingStatuses)[number];

const verdictBuild = z.object({
  version: z.string(),
  testers: z.int().describe("Distinct testers in the environment"),
  sessions: z.int().nullable().describe("Null if the service does not report it"),
  judgedTesters: z.int().describe("Testers that were judged: those with a device id, if known"),
  judgedSessions: z
    .int()
    .nullable()
    .describe("Sessions that were judged, so that both builds were played equally often. Null if unknown"),
  anonymousSessions: z
    .int()
    .nullable()
    .describe("Sessions without a device id, which are not judged. Null if unknown"),
  analysisVersions: z
    .array(z.int())
    .nullable()
    .describe("Versions of the rules that analyzed the sessions. Null if unknown"),
});

const evidence = z.object({
  insightId: z.string(),
  sessionId: z.string(),
  title: z.string().nullable(),
});
export type Evidence = z.output<typeof evidence>;

const finding = z.object({
  tag: z.string(),
  title: z.string().describe("The tag in words. It may change; the tag identifies the finding"),
  kind: z.string().describe("Kind of change, as in the comparison of the builds"),
  status: z
    .enum(findingStatuses)
    .describe(
      "failed and warned: increased by more than the limit and statistically significant; noise: above the limit, " +
        "but not significant; small: at or below the limit; unsure: too few testers for the rule of the tag, nobody in " +
        "one of the builds answered its question, or the verdict judges no tags; " +
        "allowed: above the limit, but allowed by an exception; off: not worse, or turned off",
    ),
  level: z.enum(["off", "warn", "error"]),
  expected: z.object({
    maxIncreasePoints: z.number(),
    confidence: z.number(),
    minTesters: z.int(),
  }),
  found: z.object({
    deltaPct: z.number().describe("Change of the share of testers, in percentage points"),
    testersA: z.int().nullable(),
    testersB: z.int().nullable(),
    p: z
      .number()
      .nullable()
      .describe(
        "P-value: probability of an increase at least this large if the builds do not differ. Null without a test, or if the tag is not compared",
      ),
    adjustedP: z.number().nullable().describe("P-value corrected for the number of compared tags"),
    judged: z
      .object({
        kind: z.string().describe("Kind of change among these testers, which selects the rule"),
        deltaPct: z.number().describe("Change of the share of these testers, in percentage points"),
        testersA: z.int().describe("Testers of a with the tag"),
        totalA: z.int().describe("Testers of a who could meet the tag"),
        testersB: z.int(),
        totalB: z.int(),
        oddsRatio: z
          .number()
          .describe(
            "Odds in b divided by those in a that longer play of b alone explains; 1 if b was not played longer",
          ),
      })
      .nullable()
      .describe(
        "What the test and the limit are applied to. Null if the service does not report testers by tag",
      ),
  }),
  reason: z.string().nullable().describe("Reason of the exception that allows the tag"),
  evidence: z.array(evidence).describe("Insights of build b with this tag, newest first"),
});
export type GateFinding = z.output<typeof finding>;

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
      "Confidence interval of the value. Null if the service does not report what each tester played",
    ),
});
export type LimitFinding = z.output<typeof limit>;

const allowance = z.object({
  tag: z.string(),
  reason: z.string(),
  expires: z.string(),
  state: z.enum(["active", "expiring", "expired"]),
  used: z.boolean().describe("Whether the exception allowed a tag"),
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
  method: z
    .enum(["fisher", "points"])
    .describe(
      "fisher: increases are tested for statistical significance; points: not tested, because the service does not report testers by tag",
    ),
  judged: z
    .int()
    .describe(
      "Number of compared tags, for which the p-values are corrected. Excludes allowed tags and tags with too few " +
        "testers for their rule. 0 if the builds have too few testers",
    ),
  detection: z
    .object({
      testersB: z
        .int()
        .nullable()
        .describe("Testers of b that a new tag must affect to be noticed. Null if no number is enough"),
      detectPoints: z.number(),
      power: z
        .number()
        .describe(
          "Probability to notice a new tag that affects detectPoints percent of testers, 0 to 1, with the play time of both builds",
        ),
      sufficient: z
        .boolean()
        .describe(
          "Whether the power is at least 70%. If b was not clearly played longer, this is the power with equal play time",
        ),
      enoughTesters: z
        .int()
        .nullable()
        .describe(
          "Testers per build to notice it with a probability of 70%. Null if it is noticed or no number is enough",
        ),
      enoughTestersB: z
        .int()
        .nullable()
        .describe(
          "Testers of b that are enough if a keeps its testers. Null if it is noticed or no number is enough",
        ),
    })
    .nullable()
    .describe(
      "What could have been noticed. Null if tags are not tested, or introduced tags do not fail the gate",
    ),
  outcomes: z
    .object({ a: buildOutcomes, b: buildOutcomes })
    .nullable()
    .describe(
      "Ratings and completed rooms of all testers; they do not affect the verdict. Null if unknown, as with a saved baseline",
    ),
  findings: z.array(finding),
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
export type GateDetection = NonNullable<z.output<typeof gateVerdict>["detection"]>;
export type GateVerdict = z.output<typeof gateVerdict>;
