/** The verdict of a gate as JSON: a stable form, whose version grows with anything that a reader could trip over. */
import * as z from "zod";

export const VERDICT_VERSION = 1;

export const findingStatuses = ["failed", "warned", "noise", "small", "unsure", "allowed", "off"] as const;
export type FindingStatus = (typeof findingStatuses)[number];

const verdictBuild = z.object({
  version: z.string(),
  testers: z.int().describe("Distinct testers in the environment"),
  sessions: z.int().nullable().describe("Null where the service does not tell"),
});

const evidence = z.object({
  insightId: z.string(),
  sessionId: z.string(),
  title: z.string().nullable(),
});
export type Evidence = z.output<typeof evidence>;

const finding = z.object({
  tag: z.string(),
  kind: z.string().describe("Kind of change, as the comparison tells it"),
  status: z
    .enum(findingStatuses)
    .describe(
      "failed and warned count; noise is material but may be chance; small is not material; unsure had too few " +
        "testers for its rule; allowed is material and on the allow-list; off is a change of a kind that never " +
        "counts, or whose rule is off",
    ),
  level: z.enum(["off", "warn", "error"]),
  expected: z.object({
    maxIncreasePoints: z.number(),
    confidence: z.number(),
    minTesters: z.int(),
  }),
  found: z.object({
    deltaPct: z.number().describe("Growth of the share of testers, percentage points"),
    testersA: z.int().nullable(),
    testersB: z.int().nullable(),
    p: z
      .number()
      .nullable()
      .describe(
        "Chance of so much growth between equal builds; null by points alone, or where the tag is not judged",
      ),
    adjustedP: z.number().nullable().describe("The same, corrected for the number of tags judged"),
  }),
  reason: z.string().nullable().describe("The allow-list's reason, where it is on it"),
  evidence: z.array(evidence).describe("Findings behind it in b, the newest first"),
});
export type GateFinding = z.output<typeof finding>;

const limit = z.object({
  name: z.string(),
  status: z.enum(["passed", "failed", "warned", "unknown"]),
  expected: z.string(),
  found: z.string(),
});
export type LimitFinding = z.output<typeof limit>;

const allowance = z.object({
  tag: z.string(),
  reason: z.string(),
  expires: z.string(),
  state: z.enum(["active", "expiring", "expired"]),
  used: z.boolean().describe("Whether it let a tag pass"),
});
export type Allowance = z.output<typeof allowance>;

/** What a gate concludes. */
export const gateVerdict = z.object({
  schemaVersion: z.literal(VERDICT_VERSION),
  verdict: z.enum(["passed", "failed", "inconclusive"]),
  reasons: z.array(z.string()).describe("Why it is not passed, a sentence each"),
  game: z.string().describe("Slug"),
  environment: z.string(),
  a: verdictBuild,
  b: verdictBuild,
  method: z.enum(["fisher", "points"]).describe("points: the service tells no testers by tag"),
  judged: z
    .int()
    .describe(
      "Tags that were judged, for which the p-values are corrected. Those on the allow-list, and those with too few " +
        "testers for their rule, are left out; 0 where the builds have too few testers for any",
    ),
  findings: z.array(finding),
  limits: z.array(limit),
  allow: z.array(allowance),
  notes: z.array(z.string()).describe("What a reader should know beside, a sentence each"),
  suggestions: z
    .array(z.object({ title: z.string(), rationale: z.string(), confidence: z.number() }))
    .describe("What the service would change first; shown, never judged"),
});
export type GateVerdict = z.output<typeof gateVerdict>;
