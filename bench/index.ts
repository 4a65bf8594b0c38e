/** Runs the benches, all or those named: `npm run bench`, `npm run bench -- --quick ingest`. Build the program first. */
import { cpus } from "node:os";
import { benchExport } from "./export.ts";
import { benchGate } from "./gate.ts";
import { benchHeatmap } from "./heatmap.ts";
import { benchIngest } from "./ingest.ts";
import { benchList } from "./list.ts";
import { benchMcp } from "./mcp.ts";
import { benchScale } from "./scale.ts";
import { benchStartUp } from "./start-up.ts";
import { benchWalk } from "./walk.ts";

const benches: Readonly<Record<string, (quick: boolean) => Promise<void>>> = {
  "start-up": benchStartUp,
  ingest: benchIngest,
  list: benchList,
  heatmap: benchHeatmap,
  scale: benchScale,
  walk: benchWalk,
  export: benchExport,
  gate: benchGate,
  mcp: benchMcp,
};

const given = process.argv.slice(2);
const quick = given.includes("--quick");
const named = given.filter((word) => !word.startsWith("--"));
const unknown = named.filter((name) => !(name in benches));
if (unknown.length > 0)
  throw new Error(`No bench ${unknown.join(", ")}; there are ${Object.keys(benches).join(", ")}`);

console.log(`Node ${process.version}, ${cpus().length} processors (${cpus()[0]?.model ?? "unknown"})`);
console.log("Medians of interleaved rounds; a ratio compares with the first row of its table.");
for (const [name, bench] of Object.entries(benches)) {
  if (named.length === 0 || named.includes(name)) await bench(quick);
}
