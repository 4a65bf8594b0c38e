/**
 * Runs all benchmarks, or the given ones: `npm run bench`, `npm run bench -- --quick ingest`. `npm run bench -- targets`
 * runs the benchmarks that have targets. Every run ends with a table of the targets. Build the program first.
 */
import { cpus, loadavg } from "node:os";
import { printTargets } from "./targets.ts";

type Bench = (quick: boolean) => Promise<void>;

/** Benchmarks by name. Each is loaded when it runs. */
const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  "start-up": async () => (await import("./start-up.ts")).benchStartUp,
  ingest: async () => (await import("./ingest.ts")).benchIngest,
  list: async () => (await import("./list.ts")).benchList,
  heatmap: async () => (await import("./heatmap.ts")).benchHeatmap,
  pagination: async () => (await import("./pagination.ts")).benchPagination,
  export: async () => (await import("./export.ts")).benchExport,
  statistics: async () => (await import("./statistics/index.ts")).benchStatistics,
  scorecard: async () => (await import("./scorecard/index.ts")).benchScorecard,
  stalls: async () => (await import("./stalls.ts")).benchStalls,
  clients: async () => (await import("./clients.ts")).benchClients,
  capacity: async () => (await import("./capacity/index.ts")).benchCapacity,
};

/** The benchmarks that measure the targets. */
const TARGETS = ["start-up", "ingest", "list", "heatmap", "pagination", "export"];

const args = process.argv.slice(2);
const quick = args.includes("--quick");
const selected = args
  .filter(
    (word, at) =>
      !word.startsWith("--") && !["--runs", "--only", "--seed", "--cell"].includes(args[at - 1] ?? ""),
  )
  .flatMap((name) => (name === "targets" ? TARGETS : [name]));
const unknown = selected.filter((name) => !(name in benches));
if (unknown.length > 0)
  throw new Error(
    `Unknown benchmark: ${unknown.join(", ")}. Available: targets, ${Object.keys(benches).join(", ")}`,
  );

const machine = `${cpus().length} processors (${cpus()[0]?.model ?? "unknown"})`;
const load = () => loadavg()[0]?.toFixed(1) ?? "unknown";
console.log(`Node ${process.version}, ${machine}, load ${load()}`);
console.log("Medians of interleaved rounds. Ratios are relative to the first row of each table.");
for (const [name, bench] of Object.entries(benches)) {
  if (selected.length === 0 || selected.includes(name)) await (await bench())(quick);
}
if (selected.length === 0 || selected.some((name) => TARGETS.includes(name))) printTargets();
console.log(`\nload ${load()}`);
