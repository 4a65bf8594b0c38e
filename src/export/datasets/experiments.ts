/** experiments: the current comparison of each experiment, with one row per variant. */
import {
  type ComparedVariant,
  type Experiment,
  getExperimentComparison,
  listGameExperiments,
} from "../../contract/experiments.ts";
import { double, type ExportColumn, int64, json, string, timestamp } from "../column.ts";
import { defineDataset, snapshot } from "./dataset.ts";

interface ExperimentExportRow {
  readonly game: string;
  readonly experiment: Experiment;
  readonly variant: ComparedVariant;
}

/** The number of experiments that estimates assume. */
const TYPICAL_EXPERIMENTS = 4;

/** The days for which the service reports retention. */
const RETENTION_DAYS = [1, 2, 7];

function retentionColumns(day: number): ExportColumn<ExperimentExportRow>[] {
  const findDay = ({ variant }: ExperimentExportRow) => variant.retention.find((entry) => entry.day === day);
  return [
    int64(
      `retention${day}Eligible`,
      `Players for whom day ${day} after their first exposure has passed`,
      (row: ExperimentExportRow) => findDay(row)?.eligible,
    ),
    int64(
      `retention${day}Retained`,
      `Eligible players who returned on day ${day}`,
      (row: ExperimentExportRow) => findDay(row)?.retained,
    ),
    double(
      `retention${day}Rate`,
      "Retained players divided by eligible players",
      (row: ExperimentExportRow) => findDay(row)?.rate,
      "0 to 1",
    ),
  ];
}

export const experiments = defineDataset<ExperimentExportRow>({
  name: "experiments",
  help: "results of A/B tests, by variant",
  summary: "Comparison of the variants of each experiment: one row per variant, newest experiment first",
  hasEnvironments: false,
  columns: [
    string("game", "Slug of the game", ({ game }) => game),
    string("experimentId", "Experiment id", ({ experiment }) => experiment.id),
    string("experiment", "Name of the experiment", ({ experiment }) => experiment.name),
    string("status", "draft, running or stopped", ({ experiment }) => experiment.status),
    timestamp("startedAt", "When the experiment was first started", ({ experiment }) => experiment.startedAt),
    timestamp("stoppedAt", "When the experiment was last stopped", ({ experiment }) => experiment.stoppedAt),
    string("variant", "Key of the variant", ({ variant }) => variant.key),
    string("variantName", "Name of the variant", ({ variant }) => variant.name),
    double(
      "allocation",
      "Share of players that the variant gets",
      ({ variant }) => variant.allocation,
      "percent",
    ),
    int64("sessionCount", "Number of sessions with an exposure", ({ variant }) => variant.sessionCount),
    int64("playerCount", "Number of devices seen only in this variant", ({ variant }) => variant.playerCount),
    ...RETENTION_DAYS.flatMap(retentionColumns),
    double(
      "engagementPct",
      "Active time divided by wall time",
      ({ variant }) => variant.engagementPct,
      "percent",
    ),
    double("crashRate", "Share of sessions with a crash", ({ variant }) => variant.crashRate, "0 to 1"),
    json(
      "topFriction",
      "Most frequent friction tags: [{ type, tag, count }]",
      ({ variant }) => variant.topFriction,
    ),
    json(
      "topPraise",
      "Most frequent praise tags: [{ type, tag, count }]",
      ({ variant }) => variant.topPraise,
    ),
    json("sampleQuotes", "Quotes of players", ({ variant }) => variant.sampleQuotes),
  ],
  extent: null,
  counter: null,
  requests: () => 1 + TYPICAL_EXPERIMENTS,
  parts: snapshot(async function* (reader, { game }) {
    const { experiments: items } = await reader.send(() => reader.call(listGameExperiments, { id: game.id }));
    for (const experiment of items) {
      const { id } = experiment;
      const { comparison } = await reader.send(() => reader.call(getExperimentComparison, { id }));
      yield comparison.variants.map((variant) => ({ game: game.slug, experiment, variant }));
    }
  }),
});
