/** Experiments: variants players are assigned to, and how their play compares. */
import * as z from "zod";
import { read } from "./define.ts";
import { added, count, gameParam, openEnum, orNull, pathText, unixMs } from "./fields.ts";
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
  startedAt: orNull(unixMs).describe("Unix ms"),
  stoppedAt: orNull(unixMs).describe("Unix ms"),
});
export type Experiment = z.output<typeof experiment>;

export const listGameExperiments = read({
  name: "listGameExperiments",
  tool: "list_game_experiments",
  path: "/api/v1/games/{id}/experiments",
  summary: "A game's experiments, newest first",
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
  interval: added(interval.describe("Wilson 95 % interval of the rate")),
});

const cluster = z.object({ type: z.string(), tag: z.string(), count });
export type Cluster = z.output<typeof cluster>;

const comparedVariant = z.object({
  key: z.string(),
  name: z.string(),
  allocation: z.number(),
  sessionCount: count,
  playerCount: added(count.describe("Devices first seen in this variant alone")),
  retention: z.array(retention),
  engagementPct: z.number().describe("Active share of the wall time, 0 to 100"),
  crashRate: z.number().describe("Sessions with a crash, 0 to 1"),
  crashInterval: added(interval.describe("Wilson 95 % interval of the crash rate")),
  topFriction: z.array(cluster),
  topPraise: z.array(cluster),
  sampleQuotes: z.array(z.string()),
});
export type ComparedVariant = z.output<typeof comparedVariant>;

const sampleRatio = z.object({
  chiSquare: z.number(),
  pValue: z.number(),
  warning: z.boolean().describe("p below 0.001 with at least 8 players a variant expected"),
});

const difference = z.object({
  metric: z.string().describe("retention-1, retention-2, retention-7, crash-rate or engagement"),
  baseline: z.string().describe("Variant key"),
  variant: z.string().describe("Variant key"),
  delta: z.number().describe("Variant minus baseline"),
  interval: orNull(interval).describe("Always valid at 95 %; null without enough players"),
  significant: z.boolean().describe("The interval leaves out 0"),
});

export const comparison = z.object({
  experimentId: z.string(),
  gameId: z.string(),
  generatedAt: unixMs,
  variants: z.array(comparedVariant),
  crossovers: added(
    z.object({
      devices: count.describe("Seen in several variants and left out"),
      share: z.number(),
      warning: z.boolean().describe("More than 1 %"),
    }),
  ),
  sampleRatio: added(orNull(sampleRatio)),
  differences: added(z.array(difference)),
  leader: added(
    orNull(z.string()).describe("Variant key; null under 30 players a variant or without a significant lead"),
  ),
});
export type Comparison = z.output<typeof comparison>;

export const confidenceLabels = ["insufficient", "low", "medium", "high"] as const;

export const digest = z.object({
  status: openEnum(["ok", "degraded"]),
  confidenceLabel: openEnum(confidenceLabels),
  digest: z.looseObject({
    recommendation: z.string(),
    perVariant: z.array(z.looseObject({ key: z.string(), headline: z.string() })),
    sharedThemes: added(z.array(z.string())),
    sentimentShift: added(z.string()),
  }),
});
export type Digest = z.output<typeof digest>;

export const getExperimentComparison = read({
  name: "getExperimentComparison",
  tool: "get_experiment_comparison",
  path: "/api/v1/experiments/{id}/comparison",
  summary: "How the players of an experiment's variants compare, with its digest where one is kept",
  params: z.object({ id: pathText.describe("Experiment id") }),
  response: z.object({ comparison, digest: orNull(digest) }),
  errors: ["not_found"],
});
