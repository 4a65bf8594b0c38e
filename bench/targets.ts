/** Performance targets, and the values that this run measured. */
import { print, ratio } from "./measure.ts";

/** A limit for a ratio, or for a number of bytes. */
interface Target {
  readonly what: string;
  /** The limit, and whether it is a minimum or a maximum. */
  readonly bound: readonly ["at least" | "at most", number];
}

const targets = {
  heatmapOverDuckDb: {
    what: "full heatmap, speed relative to SQL in DuckDB with 2 threads",
    bound: ["at least", 3],
  },
  heatmapOverRows: {
    what: "full heatmap, speed relative to SQL over rows in SQLite",
    bound: ["at least", 25],
  },
  heatmapAgain: {
    what: "heatmap after one more batch, time relative to the first request",
    bound: ["at most", 0.02],
  },
  ingest: {
    what: "ingest over HTTP, throughput relative to a server that only parses and checks",
    bound: ["at least", 0.5],
  },
  list: {
    what: "page of 20 sessions, throughput relative to node:http with the same bytes",
    bound: ["at least", 0.22],
  },
  deepPage: { what: "last page by time window, time relative to the first page", bound: ["at most", 3] },
  export: {
    what: "export of 50,000 sessions as NDJSON, time relative to its requests",
    bound: ["at most", 3.5],
  },
  positionBytes: { what: "bytes on disk per position with counter-like ids", bound: ["at most", 24] },
  version: { what: "--version, time relative to `node -e 0`", bound: ["at most", 1.2] },
  help: { what: "--help, time relative to `node -e 0`", bound: ["at most", 1.2] },
  query: { what: "games list, time relative to `node -e 0` (goal: 2.0)", bound: ["at most", 2.5] },
} satisfies Readonly<Record<string, Target>>;
export type TargetName = keyof typeof targets;

const measured = new Map<TargetName, number>();

/** Records the measured value of a target. */
export function recordTarget(name: TargetName, value: number): void {
  measured.set(name, value);
}

/** Prints all targets with their measured values. */
export function printTargets(): void {
  const rows = Object.entries<Target>(targets).map(
    ([
      name,
      {
        what,
        bound: [side, bound],
      },
    ]) => {
      const value = measured.get(name as TargetName);
      const isMet = value !== undefined && (side === "at least" ? value >= bound : value <= bound);
      const result = value === undefined ? ["-", "not measured"] : [ratio(value), isMet ? "met" : "NOT MET"];
      return [what, `${side} ${bound}`, ...result];
    },
  );
  print("Targets", [["", "target", "measured", ""], ...rows]);
}
