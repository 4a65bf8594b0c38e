/** Experiments: variants players are assigned to, and how their play compares. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, extensionField, gameParam, openEnum, orNull, pathText, text, unixMs } from "./fields.ts";
import { gameFilter } from "./filters.ts";
import { game } from "./games.ts";

export const experimentStatuses = ["draft", "running", "stopped"] as const;
export type ExperimentStatus = (typeof experimentStatuses)[number];

export const variant = z.object({
  key: z.string(),
  name: z.string(),
  allocation: z.number().describe("Percent of the players"),
});
export type Variant = z.output<typeof variant>;

export const experiment = z.object({
  id: z.string().describe("exp_..."),
  name: z.string(),
  status: openEnum(experimentStatuses),
  variants: z.array(variant),
  audienceId: orNull(z.string()),
  audienceName: orNull(z.string()).describe("Null where every player takes part"),
  winnerVariantKey: orNull(z.string()),
  startedAt: orNull(unixMs).describe("When it was first started, unix ms"),
  stoppedAt: orNull(unixMs).describe("When it was last stopped, unix ms; null unless it is stopped"),
});
export type Experiment = z.output<typeof experiment>;

export const listGameExperiments = defineRead({
  name: "listGameExperiments",
  tool: "list_game_experiments",
  path: "/api/v1/games/{id}/experiments",
  summary: "A game's experiments, newest first",
  tag: "games",
  names: { id: "game" },
  params: z.object({ id: gameParam }),
  response: z.object({ game, experiments: z.array(experiment) }),
  errors: ["not_found"],
});

/** A 95 % interval of a rate or of a difference of rates. */
const interval = z.object({ low: z.number(), high: z.number() });
export type Interval = z.output<typeof interval>;

const retention = z.object({
  day: count,
  eligible: count.describe("Players whose window has closed"),
  retained: count,
  rate: z.number().describe("0 to 1; 0 where none is eligible"),
  interval: extensionField(interval.describe("Wilson 95 % interval of the rate")),
});

const cluster = z.object({
  type: z.string(),
  tag: z.string(),
  count: count.describe("Distinct players who met it"),
});
export type InsightCluster = z.output<typeof cluster>;

const comparedVariant = z.object({
  key: z.string(),
  name: z.string(),
  allocation: z.number(),
  sessionCount: count.describe("Exposed sessions of its players"),
  playerCount: extensionField(count.describe("Devices seen in this variant alone")),
  retention: z.array(retention),
  engagementPct: z.number().describe("Active share of the wall time, 0 to 100"),
  crashRate: z.number().describe("Sessions with a crash, 0 to 1"),
  crashInterval: extensionField(interval.describe("Wilson 95 % interval of the crash rate")),
  topFriction: z.array(cluster),
  topPraise: z.array(cluster),
  sampleQuotes: z.array(z.string()),
});
export type ComparedVariant = z.output<typeof comparedVariant>;

const sampleRatio = z.object({
  chiSquare: z.number(),
  pValue: z.number(),
  expected: z.array(z.number()).describe("Players a variant, by the allocations, in the variants' order"),
  warning: z.boolean().describe("p below 0.001 with at least 8 players a variant expected"),
});

export const experimentMetrics = [
  "retention-1",
  "retention-2",
  "retention-7",
  "crash-rate",
  "engagement",
] as const;
export type ExperimentMetric = (typeof experimentMetrics)[number];

const difference = z.object({
  metric: openEnum(experimentMetrics),
  baseline: z.string().describe("Variant key"),
  variant: z.string().describe("Variant key"),
  delta: z.number().describe("Variant minus baseline, as a difference of shares from 0 to 1"),
  interval: orNull(interval).describe("Valid at 95 % at every look; null under 30 players a side"),
  significant: z.boolean().describe("The interval leaves out 0"),
});
export type VariantDifference = z.output<typeof difference>;

export const comparison = z.object({
  experimentId: z.string(),
  gameId: z.string(),
  generatedAt: unixMs,
  variants: z.array(comparedVariant),
  crossovers: extensionField(
    z.object({
      devices: count.describe("Seen in several variants and left out"),
      share: z.number().describe("Of all exposed devices, 0 to 1"),
      warning: z.boolean().describe("More than 1 %"),
    }),
  ),
  sampleRatio: extensionField(orNull(sampleRatio)),
  differences: extensionField(z.array(difference)),
  leader: extensionField(
    orNull(z.string()).describe("Variant key; null under 30 players a variant or without a significant lead"),
  ),
});
export type VariantComparison = z.output<typeof comparison>;

export const confidenceLabels = ["insufficient", "low", "medium", "high"] as const;
export type ConfidenceLabel = (typeof confidenceLabels)[number];

export const digest = z.object({
  status: openEnum(["ok", "degraded"]),
  confidenceLabel: openEnum(confidenceLabels),
  generatedAt: extensionField(unixMs.describe("Unix ms")),
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
  summary: "How the players of an experiment's variants compare, with its digest where one is kept",
  tag: "experiments",
  names: { id: "experiment" },
  params: z.object({ id: pathText.describe("Experiment id") }),
  response: z.object({ comparison, digest: orNull(digest) }),
  errors: ["not_found"],
});

export const assignExperiments = defineRead({
  name: "assignExperiments",
  tool: null,
  path: "/api/telemetry/experiments",
  summary: "The variant of a device in each running experiment that is for it",
  tag: "telemetry",
  names: { gameId: "game" },
  sample: { deviceId: "{device}" },
  keys: ["ingest"],
  cacheControl: "private, max-age=60",
  query: z.object({
    gameId: gameFilter,
    deviceId: text(1, 128).describe("The device id of the telemetry"),
    buildVersion: text(1, 64).optional().describe("Build that audiences by build are asked about"),
  }),
  response: z.object({
    experiments: z.record(z.string(), z.string()).describe("Variant key by experiment id"),
  }),
  errors: ["not_found"],
});
