/** The scorecard of two builds: what their testers did, by metric, with what differs. */
import * as z from "zod";
import { formField, sessionStates } from "./build-facts.ts";
import { type BuildChange, type BuildComparison, buildParam, change } from "./builds.ts";
import { defineRead } from "./define.ts";
import { count, text } from "./fields.ts";
import { envFilter } from "./filters.ts";
import { game } from "./games.ts";
import { sessionEvidence } from "./verdict.ts";

export const scorecardFamilies = [
  "friction",
  "quits",
  "ratings",
  "crash",
  "performance",
  "return",
  "time",
] as const;

/** What the values of a row are: shares of testers, or means of points, seconds, ms, MB, or counts per minute. */
export const scorecardUnits = ["share", "points", "sec", "ms", "mb", "per-min"] as const;

const family = `(${scorecardFamilies.join("|")})`;

/** Families, separated by commas. */
export const FAMILIES = new RegExp(`^${family}(,${family})*$`);

/** Pairs of a metric and a limit, separated by commas. */
const LIMITS = /^[a-z][a-z-]*(:day-1)?:[0-9]+(\.[0-9]+)?(,[a-z][a-z-]*(:day-1)?:[0-9]+(\.[0-9]+)?)*$/;

const interval = z.object({ low: z.number(), high: z.number() });

const rowSide = z.object({
  total: count.describe("Testers who count"),
  count: count.nullable().describe("Testers with the outcome; null for means"),
  value: z.number().nullable().describe("The share, from 0 to 1, or the mean; null if nobody counts"),
});

export const scorecardRow = z.object({
  metric: z.string().describe("Name of the row, such as `quit:level-01`"),
  name: z.string().describe("Name of the metric, such as `quit`"),
  subject: z.string().nullable().describe("What follows the name of the metric; null if it has only one row"),
  room: z.string().nullable().describe("The room that the row is about"),
  family: z.enum(scorecardFamilies).describe("Rows that are corrected together"),
  worse: z.enum(["more", "less"]).nullable().describe("Which direction is worse; null if neither is"),
  unit: z.enum(scorecardUnits),
  decides: z.boolean().describe("Whether the row decides something if its family does"),
  status: z.enum(["not comparable", "worse", "better", "ruled out", "unclear"]),
  reason: z
    .enum([
      ...(["nobody in a", "nobody in b", "room is gone", "room is new, and few entered it"] as const),
      ...(["room is new, and nobody of a got that far", "sessions are timed", "different analyses"] as const),
    ])
    .nullable()
    .describe("Why the row is not comparable"),
  isNewRoom: z.boolean().describe("Whether nobody of a entered the room, so that b is judged alone"),
  isRareInA: z.boolean().describe("Whether at most a tenth of those of a who count have the outcome"),
  isIntroduced: z.boolean().describe("Whether the row is worse, and rare in a or about a new room"),
  restsOnPractice: z
    .boolean()
    .describe("Whether the row is better only because of testers in both groups, who have practice"),
  a: rowSide,
  b: rowSide,
  paired: count.describe("Testers who count in both groups"),
  difference: z
    .number()
    .nullable()
    .describe("The value in b minus that in a; null if they cannot be compared"),
  limit: z
    .number()
    .nullable()
    .describe(
      "The largest difference that does not matter, or the largest share in a new room; null if there is none",
    ),
  range: interval
    .nullable()
    .describe("Range of the difference at the level of the family; for a new room, range of the share in b"),
  noticed: count
    .nullable()
    .describe(
      "The smallest number of testers of b with the outcome that would be called worse, given those of a; null if there is none",
    ),
  pValue: z.number().nullable(),
  adjustedPValue: z.number().nullable().describe("Corrected for the family"),
});

const familySummary = z.object({
  metrics: z.array(z.string()).describe("Metrics whose rows are corrected together"),
  decides: z.boolean().describe("Whether the rows share the error rate of the deciding families"),
  level: z
    .number()
    .describe("The probability of any `worse`, and of any `better`, if the builds do not differ"),
  tested: count.describe("Number of tested rows"),
  critical: z.number().describe("The largest p-value of a row that is called worse"),
  criticalOfNew: z.number().describe("The same for one further row"),
});

const newTesters = z.object({
  count: count.describe("Testers who had played no other build before"),
  total: count.describe("Testers of whom it is known"),
});

const scorecardGroup = z.object({
  version: z.string(),
  analysisVersions: z.array(z.int()).describe("Versions of the rules that analyzed the sessions"),
  sessions: sessionStates,
  anonymousSessions: count.describe("Ended sessions without a device ID. They are not compared"),
  testers: count.describe("Testers who are compared: those with a device ID and an ended session"),
});

/** The maximum number of rows with evidence, and of sessions for each of them. */
export const MAX_EVIDENCE_ROWS = 20;
export const MAX_ROW_EVIDENCE = 3;

const rowEvidence = z.object({
  metric: z.string().describe("Name of the row"),
  sessions: z
    .array(sessionEvidence)
    .describe(`At most ${MAX_ROW_EVIDENCE}, the clearest first, and of those that quit the newest`),
});
export type RowEvidence = z.output<typeof rowEvidence>;

export const getScorecard = defineRead({
  name: "getScorecard",
  tool: null,
  path: "/api/v1/scorecards/{game}",
  summary:
    "Compare what the testers of two builds did: friction, quits, ratings and more, with what is worse or better. Sessions of a that were received after b was registered are left out",
  tag: "builds",
  extension: true,
  names: { a: "build", b: "build" },
  query: z.object({
    a: buildParam.describe("Build to compare with"),
    b: buildParam.describe("Build to judge"),
    env: envFilter.optional().describe("Environment of the sessions, or `all` (default: production)"),
    level: text(1, 20)
      .regex(/^0\.[0-9]+$/, "must be a number between 0 and 1, such as 0.05")
      .optional()
      .describe(
        "The probability with which equal builds may get any `worse`, or any `better`, among the families that decide (default: 0.05)",
      ),
    families: text(1, 100)
      .regex(FAMILIES, `must be families separated by commas: ${scorecardFamilies.join(", ")}`)
      .optional()
      .describe(
        "Families that decide and share the error rate, separated by commas (default: friction,quits)",
      ),
    limits: text(1, 500)
      .regex(LIMITS, "must be pairs such as quit:0.1 separated by commas")
      .optional()
      .describe(
        "The largest change for the worse that does not matter by metric, separated by commas (default: friction:0.1,quit:0.1)",
      ),
    newRoomMax: text(1, 20)
      .regex(/^(0|1|0\.[0-9]+)$/, "must be a number from 0 to 1")
      .optional()
      .describe(
        "The largest share of those who entered a new room that may quit or meet friction there (default: 0.4)",
      ),
    newRoomTesters: z
      .enum(["new", "all"])
      .optional()
      .describe(
        "The testers by whom new rooms are judged: those who had not played a, or all (default: new)",
      ),
  }),
  response: z.object({
    game,
    environment: z.string(),
    a: scorecardGroup,
    b: scorecardGroup,
    testers: z.object({
      onlyA: count,
      onlyB: count,
      both: count,
      newTesters: z.object({ a: newTesters, b: newTesters }),
      areOthersAlike: z
        .boolean()
        .nullable()
        .describe(
          "Whether testers in one group only are new as often as in the other; null if it is not known",
        ),
      comparesPairsOnly: z
        .boolean()
        .describe(
          "Whether only testers in both groups are compared, because the others are not alike or those of b are weaker",
        ),
    }),
    families: z.array(familySummary),
    rows: z.array(scorecardRow),
    fields: z.array(formField).describe("The form fields of the ratings"),
    testersInBatch: z
      .object({ a: count, b: count })
      .describe("Testers of each build in the environment, also without an ended session or a device ID"),
    changes: z.array(change).describe("The friction diff of the builds, as `compareBuilds` returns it"),
    evidence: z
      .array(rowEvidence)
      .describe(
        `Sessions of b behind rows about friction and quits that are worse, then those that may be, for at most ${MAX_EVIDENCE_ROWS} rows`,
      ),
  }),
});
export type BuildsScorecard = z.output<typeof getScorecard.response>;

/**
 * Why it is not known what the testers of two builds did: the service has no such endpoint or its response is invalid,
 * the key may not read it, or the builds have too many testers to read all of them.
 */
export type UnknownFacts = "unsupported" | "invalid" | "forbidden" | "too-many";

/** What a service says about two builds. */
export interface PairComparison extends Pick<BuildComparison, "game" | "environment"> {
  /** The version, and the number of testers in the environment. */
  readonly a: { readonly version: string; readonly testers: number };
  readonly b: { readonly version: string; readonly testers: number };
  readonly changes: readonly BuildChange[];
  /** Or why what the testers did is not known. */
  readonly scorecard:
    | Omit<BuildsScorecard, "game" | "environment" | "testersInBatch" | "changes" | "evidence">
    | UnknownFacts;
  /** Sessions behind the rows that are worse or may be; null if the service does not select them. */
  readonly evidence: readonly RowEvidence[] | null;
}
