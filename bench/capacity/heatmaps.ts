/** The cost of heatmaps: the first request of a new server, by number of positions, and repeated requests. */
import type { BenchServer } from "../servers.ts";
import { GAME } from "../telemetry.ts";
import { fitLine } from "./model.ts";
import { type MeasuredDatabase, readServerCpuMs } from "./usage.ts";

/** Compiles the code that heatmaps use. */
const WARM_UP = "?build=1.0";
/** First requests, with different numbers of positions. The model is not fitted to the last of them. */
const QUERIES = ["?build=1.1", "", "?build=1.2"];
const REPEATS = 5;

/** The processor time of heatmaps in ms, of the server and of the processes of the database together. */
export interface HeatmapCosts {
  readonly fixed: number;
  readonly perPosition: number;
  readonly repeated: number;
}

/** Positions and processor time of a first request. */
type First = readonly [positions: number, cpuMs: number];

/** The heatmaps of one new server. */
export interface MeasuredHeatmaps {
  readonly first: readonly First[];
  readonly repeated: readonly number[];
  readonly heldOut: readonly First[];
}

/**
 * Requests heatmaps of a server that has not answered any. Each run has another order, because the code becomes faster with each
 * request.
 */
export async function measureHeatmaps(
  server: BenchServer,
  database: MeasuredDatabase,
  run: number,
): Promise<MeasuredHeatmaps> {
  const request = async (query: string): Promise<First> => {
    const before = (await readServerCpuMs(server)) + database.readCpuMs();
    const headers = { authorization: `Bearer ${server.managementKey}` };
    const response = await fetch(`${server.url}/api/v1/heatmaps/${GAME}${query}`, { headers });
    if (response.status !== 200) throw new Error(`GET heatmap returned ${response.status}`);
    const { eventCount } = (await response.json()) as { eventCount: number };
    return [eventCount, (await readServerCpuMs(server)) + database.readCpuMs() - before];
  };
  await request(WARM_UP);
  const all: First[] = [];
  for (let step = 0; step < QUERIES.length; step += 1) {
    const at = (run + step) % QUERIES.length;
    all[at] = await request(QUERIES[at] ?? "");
  }
  const repeated = [];
  for (let n = 0; n < REPEATS; n += 1) repeated.push((await request(""))[1]);
  return { first: all.slice(0, -1), repeated, heldOut: all.slice(-1) };
}

export function fitHeatmaps(measured: readonly MeasuredHeatmaps[]): HeatmapCosts {
  const { fixed, perUnit } = fitLine(averageFirst(measured.map(({ first }) => first)));
  return {
    fixed: Math.max(0, fixed),
    perPosition: perUnit,
    repeated: averageMiddle(measured.flatMap(({ repeated }) => repeated)),
  };
}

/** Each request over several servers. */
export function averageFirst(runs: readonly (readonly First[])[]): First[] {
  return (runs[0] ?? []).map(([positions], at) => [
    positions,
    averageMiddle(runs.map((run) => run[at]?.[1] ?? 0)),
  ]);
}

/** The mean of the middle half: collections of garbage make some requests expensive, and times are whole ticks. */
function averageMiddle(times: readonly number[]): number {
  const quarter = Math.floor(times.length / 4);
  const middle = times.toSorted((a, b) => a - b).slice(quarter, times.length - quarter);
  return middle.reduce((sum, time) => sum + time, 0) / middle.length;
}
