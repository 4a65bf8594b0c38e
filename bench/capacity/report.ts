/** Prints the capacity model, what it means for a typical session, and how well it predicts. */
import { print } from "../measure.ts";
import { averageFirst, type HeatmapCosts, type MeasuredHeatmaps } from "./heatmaps.ts";
import type { Measured } from "./index.ts";
import { amounts, predictCost, type UnitCosts, type Workload } from "./model.ts";
import { type Resource, resources } from "./usage.ts";
import { HELD_OUT } from "./workload.ts";

/** The largest error of a prediction. */
const MAX_ERROR = 0.25;

export interface Model {
  readonly costs: Readonly<Record<Resource, UnitCosts>>;
  readonly heatmaps: HeatmapCosts;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Compares predictions with measurements. Fails the run if one is too far off. */
export function printComparison(
  engine: string,
  { costs, heatmaps: { fixed, perPosition } }: Model,
  heldOut: readonly Measured[],
  heatmaps: readonly MeasuredHeatmaps[],
): void {
  const others = averageFirst(heatmaps.map(({ heldOut: own }) => own));
  const compareResource = (what: string, resource: Resource, unit: string): Comparison => ({
    what,
    unit,
    predicted: sum(heldOut.map(({ workload }) => predictCost(costs[resource], workload))),
    measured: sum(heldOut.map(({ usage }) => usage[resource])),
  });
  const cases = [
    compareResource("server, processor", "server", "ms"),
    compareResource("database, processor", "database", "ms"),
    {
      what: "first heatmap of a build, processor",
      unit: "ms",
      predicted: sum(others.map(([positions]) => fixed + perPosition * positions)),
      measured: sum(others.map(([, cpuMs]) => cpuMs)),
    },
    compareResource("database size", "bytes", "bytes"),
  ];
  const { sessions, bodies, events } = HELD_OUT;
  printComparisons(
    `${engine}: prediction for ${sessions * heldOut.length} sessions of ${bodies} requests with ${events} events`,
    cases.filter(({ predicted, measured }) => predicted > 0 || measured > 0),
  );
}

interface Comparison {
  readonly what: string;
  readonly predicted: number;
  readonly measured: number;
  readonly unit: string;
}

function printComparisons(heading: string, cases: readonly Comparison[]): void {
  const rows = cases.map(({ what, predicted, measured, unit }) => {
    const error = predicted / measured - 1;
    const isWithin = Math.abs(error) <= MAX_ERROR;
    if (!isWithin) process.exitCode = 1;
    const cells = [predicted, measured].map((value) => `${Math.round(value).toLocaleString("en")} ${unit}`);
    return [what, ...cells, `${(error * 100).toFixed(1)} %`, isWithin ? "within 25 %" : "TOO FAR OFF"];
  });
  print(heading, [["", "predicted", "measured", "error", ""], ...rows]);
}

export function printModel(engine: string, { costs, heatmaps }: Model): void {
  const format = (value: number) => value.toFixed(value < 0.1 ? 4 : value < 10 ? 2 : 0);
  const names = ["session", "request", "event", "position"];
  const rows = amounts.map((name, at) => [
    names[at] ?? "",
    ...resources.map((resource) => format(costs[resource][name])),
  ]);
  print(`${engine}: unit costs`, [["", "server ms", "database ms", "bytes"], ...rows]);
  print(`${engine}: heatmaps, processor time`, [
    [
      "first request",
      `${format(heatmaps.fixed)} ms + ${format(heatmaps.perPosition * 1e6)} ms per million positions`,
    ],
    ["repeated", `${format(heatmaps.repeated)} ms`],
  ]);
}

/** Half an hour of play: a request every 10 s, and 2 events a second, most of them positions. */
const REFERENCE: Workload = { sessions: 1, requests: 180, events: 720, positions: 2880 };
const DAY_MS = 86_400_000;
/** The share of a processor that is planned with: load is not even over the day. */
const PLANNED_SHARE = 0.3;

export function printReference(engine: string, { costs }: Model): void {
  const cost = (resource: Resource) => predictCost(costs[resource], REFERENCE);
  const perDay = (ms: number) => Math.round((PLANNED_SHARE * DAY_MS) / ms).toLocaleString("en");
  const perDisk = Math.round(1e11 / cost("bytes")).toLocaleString("en");
  print(`${engine}: a session of 30 minutes (180 requests, 720 events, 2,880 positions)`, [
    [
      "server, processor",
      `${cost("server").toFixed(0)} ms`,
      `${perDay(cost("server"))} sessions a day at 30 % of one processor`,
    ],
    ...(cost("database") > 0
      ? [
          [
            "database, processor",
            `${cost("database").toFixed(0)} ms`,
            `${perDay(cost("database"))} sessions a day at 30 % of one processor`,
          ],
        ]
      : []),
    ["database size", `${(cost("bytes") / 1024).toFixed(0)} KiB`, `${perDisk} sessions on 100 GB`],
  ]);
}
