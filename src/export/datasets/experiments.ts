/** experiments: how the variants of each experiment compare now, a row a variant. */
import type { ComparedVariant, Experiment } from "../../contract/experiments.ts";
import { double, type ExportColumn, int64, json, string, timestamp } from "../column.ts";
import { defineDataset, snapshot } from "./dataset.ts";

interface ExperimentExportRow {
  readonly game: string;
  readonly experiment: Experiment;
  readonly variant: ComparedVariant;
}

/** A game rarely has more experiments than this: what a plan reckons with. */
const TYPICAL_EXPERIMENTS = 4;

/** The days that retention is told of. */
const RETENTION_DAYS = [1, 2, 7];

function retentionColumns(day: number): ExportColumn<ExperimentExportRow>[] {
  const of = ({ variant }: ExperimentExportRow) => variant.retention.find((one) => one.day === day);
  return [
    int64(
      `retention${day}Eligible`,
      `Players whose day ${day} has passed`,
      (row: ExperimentExportRow) => of(row)?.eligible,
    ),
    int64(
      `retention${day}Retained`,
      `Of these, players who came back`,
      (row: ExperimentExportRow) => of(row)?.retained,
    ),
    double(
      `retention${day}Rate`,
      "Retained by eligible",
      (row: ExperimentExportRow) => of(row)?.rate,
      "0 to 1",
    ),
  ];
}

export const experiments = defineDataset<ExperimentExportRow>({
  name: "experiments",
  summary: "How the variants of each experiment compare, a row a variant, the newest experiment first",
  hasEnvironments: false,
  columns: [
    string("game", "Slug of the game", ({ game }) => game),
    string("experimentId", "Experiment id", ({ experiment }) => experiment.id),
    string("experiment", "Name of the experiment", ({ experiment }) => experiment.name),
    string("status", "draft, running or stopped", ({ experiment }) => experiment.status),
    timestamp("startedAt", "When it was first started", ({ experiment }) => experiment.startedAt),
    timestamp("stoppedAt", "When it was last stopped", ({ experiment }) => experiment.stoppedAt),
    string("variant", "Key of the variant", ({ variant }) => variant.key),
    string("variantName", "Name of the variant", ({ variant }) => variant.name),
    double("allocation", "Share of the players", ({ variant }) => variant.allocation, "percent"),
    int64("sessionCount", "Exposed sessions of its players", ({ variant }) => variant.sessionCount),
    int64("playerCount", "Devices seen in this variant alone", ({ variant }) => variant.playerCount),
    ...RETENTION_DAYS.flatMap(retentionColumns),
    double(
      "engagementPct",
      "Active share of the wall time",
      ({ variant }) => variant.engagementPct,
      "percent",
    ),
    double("crashRate", "Sessions with a crash", ({ variant }) => variant.crashRate, "0 to 1"),
    json("topFriction", "[{ type, tag, count }]", ({ variant }) => variant.topFriction),
    json("topPraise", "[{ type, tag, count }]", ({ variant }) => variant.topPraise),
    json("sampleQuotes", "What its players said", ({ variant }) => variant.sampleQuotes),
  ],
  extent: null,
  requests: () => 1 + TYPICAL_EXPERIMENTS,
  parts: snapshot(async function* (reader, { game }) {
    const { client } = reader;
    const { experiments: found } = await reader.send(() => client.listGameExperiments({ id: game.id }));
    for (const experiment of found) {
      const { comparison } = await reader.send(() => client.getExperimentComparison({ id: experiment.id }));
      yield comparison.variants.map((variant) => ({ game: game.slug, experiment, variant }));
    }
  }),
});
