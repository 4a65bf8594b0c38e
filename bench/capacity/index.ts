/**
 * Capacity: fits unit costs of sessions, requests, events, positions and heatmaps in processor time and bytes, and compares
 * what they predict with a measured workload that they were not fitted to. Fails if a prediction is off by more than 25 %.
 */
import { type BenchServer, inFolder, startService, UNLIMITED } from "../servers.ts";
import { GAME } from "../telemetry.ts";
import { fitHeatmaps, type MeasuredHeatmaps, measureHeatmaps } from "./heatmaps.ts";
import { fitUnitCosts, type UnitCosts, type Workload } from "./model.ts";
import { type Model, printComparison, printModel, printReference } from "./report.ts";
import {
  type MeasuredDatabase,
  type Resource,
  readUsage,
  subtract,
  type Usage,
  usePostgres,
  useSqlite,
} from "./usage.ts";
import { type Batch, HELD_OUT, sendBatch, TRAINING } from "./workload.ts";

/** New servers that answer heatmaps. */
const HEATMAP_RUNS = 12;

/** Measures SQLite and, on Linux without `--quick`, Postgres. */
export async function benchCapacity(quick: boolean): Promise<void> {
  const rounds = process.argv.includes("--full") ? 3 : 1;
  await inFolder((folder) => measure(folder, "SQLite", useSqlite(folder), rounds));
  if (quick || process.platform !== "linux") return;
  await inFolder(async (folder) => await measure(folder, "Postgres", await usePostgres(), rounds));
}

async function measure(
  folder: string,
  engine: string,
  database: MeasuredDatabase,
  rounds: number,
): Promise<void> {
  try {
    const { training, heldOut } = await withServer(folder, database, (server) =>
      measureRounds(server, database, rounds),
    );
    const heatmaps: MeasuredHeatmaps[] = [];
    for (let run = 0; run < HEATMAP_RUNS; run += 1)
      heatmaps.push(await withServer(folder, database, (server) => measureHeatmaps(server, database, run)));
    const model = fitModel(training, heatmaps);
    printModel(engine, model);
    printReference(engine, model);
    printComparison(engine, model, heldOut, heatmaps);
  } finally {
    await database.stop();
  }
}

/** Runs `work` with a new server on the database. */
async function withServer<T>(
  folder: string,
  database: MeasuredDatabase,
  work: (server: BenchServer) => Promise<T>,
): Promise<T> {
  const server = await startService(folder, database.address, GAME, ...UNLIMITED, "--metrics");
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** What a workload used. */
export interface Measured {
  readonly workload: Workload;
  readonly usage: Usage;
}

/** The workloads that the model is fitted to, and those that it is not. */
interface Rounds {
  readonly training: readonly Measured[];
  readonly heldOut: readonly Measured[];
}

/**
 * Sends all batches in rounds, and measures what each of them uses beyond an idle server. The workload of the comparison is sent
 * between the others, so that other load on the machine affects all of them alike.
 */
async function measureRounds(
  server: BenchServer,
  database: MeasuredDatabase,
  rounds: number,
): Promise<Rounds> {
  // The first batches compile the program and fill the tables that do not grow.
  for (const [at, batch] of TRAINING.entries()) await sendBatch(server, `warm-up-${at}`, batch);
  await readUsage(server, database);
  let before = await readUsage(server, database);
  const measureNext = async (name: string, batch: Batch): Promise<Measured> => {
    const workload = await sendBatch(server, name, batch);
    const after = await readUsage(server, database);
    const usage = subtract(after, before);
    // Reading the bytes took processor time of the database.
    before = { ...after, database: database.readCpuMs() };
    return { workload, usage };
  };
  const training: Measured[] = [];
  const heldOut: Measured[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, batch] of TRAINING.entries()) {
      if (at === MIDDLE) heldOut.push(await measureNext(`held-out-${round}`, HELD_OUT));
      training.push(await measureNext(`training-${round}-${at}`, batch));
    }
  }
  const idle = subtract(await readUsage(server, database), before);
  const subtractIdle = ({ workload, usage }: Measured): Measured => ({
    workload,
    usage: { ...usage, server: usage.server - idle.server, database: usage.database - idle.database },
  });
  return { training: training.map(subtractIdle), heldOut: heldOut.map(subtractIdle) };
}

const MIDDLE = Math.floor(TRAINING.length / 2);

const FREE: UnitCosts = { sessions: 0, requests: 0, events: 0, positions: 0 };

function fitModel(training: readonly Measured[], heatmaps: readonly MeasuredHeatmaps[]): Model {
  const fitResource = (resource: Resource): UnitCosts => {
    const points = training.map(({ workload, usage }) => ({ workload, cost: usage[resource] }));
    if (points.every(({ cost }) => cost === 0)) return FREE;
    return fitUnitCosts(points.filter(({ cost }) => cost > 0));
  };
  return {
    costs: { server: fitResource("server"), database: fitResource("database"), bytes: fitResource("bytes") },
    heatmaps: fitHeatmaps(heatmaps),
  };
}
