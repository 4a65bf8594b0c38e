/** Experiments: A/B tests that give each device one of several variants. */
import * as z from "zod";
import { ownValue } from "../shared/own-value.ts";
import { defineRead } from "./define.ts";
import { GAME_REQUIRED } from "./errors.ts";
import { count, extensionField, gameParam, openEnum, orNull, pathText, text, unixMs } from "./fields.ts";
import { gameFilter } from "./filters.ts";
import { game } from "./games.ts";
import { defineResource, type Tone } from "./resource.ts";
import { scorecardRow } from "./scorecard.ts";

export const experimentStatuses = ["draft", "running", "stopped"] as const;
export type ExperimentStatus = (typeof experimentStatuses)[number];

const remoteConfig = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
/** Values that a game reads from the service, by key. */
export type RemoteConfig = z.output<typeof remoteConfig>;

export const variant = z.object({
  key: z.string(),
  name: z.string(),
  allocation: z.number().describe("Percentage of players"),
  config: remoteConfig.optional().describe("Remote config values. Absent if the variant has none"),
});
export type Variant = z.output<typeof variant>;

export const experiment = z.object({
  id: z.string().describe("ID of the experiment (`exp_...`)"),
  name: z.string(),
  status: openEnum(experimentStatuses),
  variants: z.array(variant),
  audienceId: orNull(z.string()),
  audienceName: orNull(z.string()).describe("Null if the experiment includes all players"),
  winnerVariantKey: orNull(z.string()),
  startedAt: orNull(unixMs).describe("When the experiment was first started, unix ms"),
  stoppedAt: orNull(unixMs).describe("When the experiment was last stopped, unix ms. Null unless stopped"),
  crashMargin: z
    .number()
    .optional()
    .describe(
      "The largest increase of the crash rate that does not matter, from 0 to 1. Absent for the default",
    ),
});
export type Experiment = z.output<typeof experiment>;

export const listGameExperiments = defineRead({
  name: "listGameExperiments",
  tool: "list_game_experiments",
  path: "/api/v1/games/{id}/experiments",
  summary: "List the experiments of a game, newest first",
  tag: "games",
  names: { id: "game" },
  params: z.object({ id: gameParam }),
  response: z.object({ game, experiments: z.array(experiment) }),
});

/** A 95% confidence interval of a rate or of a difference between rates. */
const interval = z.object({ low: z.number(), high: z.number() });
export type Interval = z.output<typeof interval>;

const retention = z.object({
  day: count.describe("Days since the first exposure"),
  eligible: count.describe("Players whose day has passed"),
  retained: count,
  rate: z.number().describe("0 if no player is eligible"),
  interval: extensionField(interval.describe("95% Wilson interval")),
});

const cluster = z.object({
  type: z.string(),
  tag: z.string(),
  count: count.describe("Number of affected players"),
});
export type InsightCluster = z.output<typeof cluster>;

const comparedVariant = z.object({
  key: z.string(),
  name: z.string(),
  allocation: z.number(),
  sessionCount: count.describe("Number of exposures of its players"),
  playerCount: extensionField(count.describe("Devices seen only in this variant")),
  retention: z.array(retention),
  engagementPct: z.number().describe("Active time in percent of wall time"),
  crashRate: z.number().describe("Share of sessions, from 0 to 1"),
  crashInterval: extensionField(interval),
  engagementInterval: extensionField(interval),
  topFriction: z.array(cluster),
  topPraise: z.array(cluster),
  sampleQuotes: z.array(z.string()),
});
export type ComparedVariant = z.output<typeof comparedVariant>;

const sensitivity = z.object({
  loss: z.number(),
  power: z.number().describe("Probability of a warning at this loss"),
  detectableLoss: orNull(z.number()).describe("Loss that causes a warning with 80% probability"),
});
export type SampleRatioSensitivity = z.output<typeof sensitivity>;

const sampleRatio = z.object({
  chiSquare: z.number(),
  pValue: z.number(),
  expected: z.array(z.number()).describe("Expected players per variant"),
  warning: z.boolean().describe("Whether pValue is below 0.001 with enough players"),
  sensitivity: extensionField(sensitivity),
});

export const experimentMetrics = [
  "retention-1",
  "retention-2",
  "retention-7",
  "crash-rate",
  "engagement",
] as const;
export type ExperimentMetric = (typeof experimentMetrics)[number];

export const metricRoles = ["primary", "guardrail", "secondary"] as const;
export type MetricRole = (typeof metricRoles)[number];

const difference = z.object({
  metric: openEnum(experimentMetrics),
  role: extensionField(openEnum(metricRoles)),
  baseline: z.string(),
  variant: z.string(),
  delta: z.number().describe("Variant minus baseline, from -1 to 1"),
  interval: orNull(interval).describe("95%, allows repeated looks. Null under 30 players"),
  significant: z.boolean().describe("Whether the interval excludes 0"),
  pValue: orNull(z.number()),
  adjustedPValue: orNull(z.number()).describe("pValue with Holm's correction"),
});
export type VariantDifference = z.output<typeof difference>;

const lead = z.object({
  variant: z.string(),
  metric: openEnum(experimentMetrics),
  over: z.string().describe("The variant that comes closest"),
  delta: z.number(),
  interval,
  early: z.boolean().describe("Found with fewer players than needed, so too large on average"),
});
export type Lead = z.output<typeof lead>;

const guard = z.object({
  variant: z.string(),
  metric: openEnum(experimentMetrics),
  margin: z.number().describe("The largest increase over the first variant that does not matter"),
  upperBound: z.number().describe("The largest increase that is not ruled out"),
  status: openEnum(["worse", "better", "ruled out", "unclear"]),
  safe: z.boolean().describe("Whether an increase above the margin is ruled out"),
});
export type GuardResult = z.output<typeof guard>;

export const verdictDecisions = ["ship", "stop", "keep running"] as const;
export type VerdictDecision = (typeof verdictDecisions)[number];

const verdict = z.object({
  decision: openEnum(verdictDecisions),
  variant: orNull(z.string()).describe("The variant to ship, to keep if the experiment stops, or that leads"),
  reason: z.string(),
  lead: orNull(lead).describe("The variant that is significantly ahead in the primary metric"),
  guards: z.array(guard),
  playersNeeded: z.array(count).describe("Players of each variant for a decision"),
  soughtDifference: z.number().describe("The difference in the primary metric that these players show"),
  rateAssumed: z.boolean().describe("Whether a rate is not measured yet"),
});
export type ExperimentVerdict = z.output<typeof verdict>;

/** A row of a scorecard with its name in words, as this version knows it. */
export const titledScorecardRow = scorecardRow.extend({
  id: z.string().describe("The tag for friction, otherwise the metric"),
  title: z.string().describe("The row in words"),
});

const { family, worse, unit, status, reason } = titledScorecardRow.shape;

const variantScorecard = z.object({
  variant: z.string(),
  baseline: z.string().describe("The first variant, which is `a` of the rows"),
  level: z.number().describe("Significance level of a family at this number of players"),
  rows: z.array(
    titledScorecardRow.extend({
      family: openEnum(family.options),
      worse: openEnum(worse.unwrap().options).nullable(),
      unit: openEnum(unit.options),
      status: openEnum(status.options),
      reason: openEnum(reason.unwrap().options).nullable(),
    }),
  ),
});
export type VariantScorecard = z.output<typeof variantScorecard>;

export const comparison = z.object({
  experimentId: z.string(),
  name: extensionField(z.string().describe("Name of the experiment")),
  gameId: z.string(),
  game: extensionField(z.string().describe("Slug of the game")),
  generatedAt: unixMs,
  variants: z.array(comparedVariant),
  crossovers: extensionField(
    z.object({
      devices: count.describe("Devices in several variants, excluded"),
      share: z.number().describe("Share of all exposed devices"),
      warning: z.boolean().describe("Whether the share is above 1%"),
    }),
  ),
  sampleRatio: extensionField(orNull(sampleRatio)),
  differences: extensionField(z.array(difference)),
  scorecards: extensionField(
    z.array(variantScorecard).describe("Friction, quits and ratings of each variant against the first one"),
  ),
  verdict: extensionField(verdict),
});
export type VariantComparison = z.output<typeof comparison>;

export const confidenceLabels = ["insufficient", "low", "medium", "high"] as const;
export type ConfidenceLabel = (typeof confidenceLabels)[number];

export const digest = z.object({
  status: openEnum(["ok", "degraded"]),
  confidenceLabel: openEnum(confidenceLabels),
  generatedAt: extensionField(unixMs.describe("Time of creation, unix ms")),
  digest: z.looseObject({
    recommendation: z.string(),
    perVariant: z.array(z.looseObject({ key: z.string(), headline: z.string() })),
    sharedThemes: extensionField(z.array(z.string())),
    sentimentShift: extensionField(z.string()),
  }),
});
export type ExperimentDigest = z.output<typeof digest>;

export const getExperimentComparison = defineRead({
  name: "getExperimentComparison",
  tool: "get_experiment_comparison",
  path: "/api/v1/experiments/{id}/comparison",
  summary: "Compare the variants of an experiment, and get its stored digest",
  tag: "experiments",
  names: { id: "experiment" },
  params: z.object({ id: pathText.describe("ID of the experiment") }),
  extensions: {
    crashMargin: text(1, 20)
      .regex(/^(0|1|0\.[0-9]+)$/, "must be a number from 0 to 1")
      .optional()
      .describe(
        "The largest increase of the crash rate that does not matter, as a share of sessions (default: that of the experiment, or the larger of 0.02 and half of the rate of the first variant)",
      ),
  },
  response: z.object({ comparison, digest: orNull(digest).describe("Null if no digest is stored") }),
});

export const assignExperiments = defineRead({
  name: "assignExperiments",
  tool: null,
  path: "/api/telemetry/experiments",
  summary: "Get the variant of a device in each running experiment whose audience includes it",
  tag: "telemetry",
  names: { gameId: "game" },
  sample: { gameId: "{game}", deviceId: "{device}" },
  keys: ["ingest"],
  cacheControl: "private, max-age=60",
  query: z.object({
    gameId: gameFilter.optional().describe("Game ID or slug. Required unless the key is limited to one game"),
    deviceId: text(1, 128).describe("Device id that the game sends in its telemetry"),
    buildVersion: text(1, 64).optional().describe("Build of the game, for audiences that require a build"),
  }),
  response: z.object({
    experiments: z.record(z.string(), z.string()).describe("Variant keys by experiment id"),
    config: z
      .record(z.string(), remoteConfig)
      .optional()
      .describe("Remote config values by experiment id. Absent if no variant of the device has any"),
  }),
  reasons: { bad_request: [GAME_REQUIRED], not_found: ["unknown_game"] },
});

const statusTones: Readonly<Record<string, Tone>> = { running: "good", stopped: "muted" };

/** The remote config values of all variants, such as `lit.speed=3`; null if there are none. */
function listConfig({ variants }: Experiment): string | null {
  const values = variants.flatMap(({ key, config = {} }) =>
    Object.entries(config).map(([name, value]) => `${key}.${name}=${value}`),
  );
  return values.length > 0 ? values.join(", ") : null;
}

/** The variants with their shares of devices: `control 60%, lit 40%`. */
function listShares({ variants }: Experiment): string {
  const total = variants.reduce((sum, { allocation }) => sum + allocation, 0);
  const round = (value: number) => Math.round(value * 10) / 10;
  return variants
    .map(({ key, allocation }) => `${key} ${round(total > 0 ? (allocation / total) * 100 : 0)}%`)
    .join(", ");
}

export const experiments = defineResource({
  name: "experiments",
  item: experiment,
  list: listGameExperiments,
  items: "experiments",
  filters: {},
  columns: {
    id: { header: "ID", kind: "id", tone: "strong" },
    name: { header: "NAME", shrink: 2, minWidth: 16, last: true },
    status: {
      header: "STATUS",
      groups: true,
      tone: ({ status }) => ownValue(statusTones, status) ?? null,
    },
    variants: {
      header: "VARIANTS",
      value: ({ variants }) => variants.map(({ key, allocation }) => `${key} ${allocation}%`).join(", "),
      format: listShares,
      shrink: 1,
    },
    config: { header: "CONFIG", value: listConfig, wide: true, shrink: 2 },
    audienceName: {
      header: "AUDIENCE",
      value: ({ audienceName }) => audienceName ?? "everybody",
      wide: true,
      shrink: 3,
    },
    winnerVariantKey: { header: "WINNER", groups: true },
    startedAt: { header: "STARTED", kind: "time" },
    stoppedAt: { header: "STOPPED", kind: "time", wide: true },
  },
  command: {
    path: "experiments list",
    summary: "List a game's experiments, newest first",
    examples: ["experiments list --game ember", "experiments list --json --jq '.experiments[].id'"],
    empty: "No experiments yet.",
  },
});
