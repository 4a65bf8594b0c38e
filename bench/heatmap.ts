/**
 * Heatmaps: a request over a million stored positions (10 million with `--full`), compared with SQL in DuckDB and SQLite;
 * the same request after one more batch; and bytes on disk per event.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Heatmap } from "../src/contract/heatmaps.ts";
import { openStore } from "../src/server/db/open.ts";
import { openConnection } from "../src/server/db/sqlite.ts";
import { type App, createApp } from "../src/server/http/app.ts";
import { HeatmapCache } from "../src/server/positions/heatmap-cache.ts";
import { type RunningService, startService } from "../src/server/start.ts";
import { type Case, getMedian, medians, ms, print, timed } from "./measure.ts";
import { createFilling, type Filling, inDuckDb, inRows, readArrays } from "./positions.ts";
import { inFolder } from "./servers.ts";
import { recordTarget } from "./targets.ts";
import { EVENTS_PER_BODY, GAME } from "./telemetry.ts";

const FIRST = "whole request, empty cache";
const AGAIN = "repeated after one more batch";
const DUCKDB = "SQL in DuckDB, 2 threads";
const ROWS = "SQL over rows in the same SQLite file";

/** Measures and prints. */
export async function benchHeatmap(quick: boolean): Promise<void> {
  const full = process.argv.includes("--full");
  const bodies = full ? 20_000 : quick ? 400 : 2000;
  await inFolder(async (folder) => {
    await withFilled(join(folder, "heatmap.db"), bodies, async (filled) => {
      recordTarget("positionBytes", filled.bytes);
      await compare(filled, quick ? 5 : 21);
    });
  });
}

interface Filled {
  readonly running: RunningService;
  readonly filling: Filling;
  readonly file: string;
  /** Size of the whole file per event. */
  readonly bytes: number;
}

/** Fills a database with bodies of positions, compacted as they come. */
async function withFilled(
  file: string,
  bodies: number,
  work: (filled: Filled) => Promise<void>,
): Promise<void> {
  const store = await openStore({ database: file, durability: "NORMAL" });
  const running = await startService({ store, limits: "off", sharesDatabase: true });
  try {
    const filling = await createFilling(running);
    await filling.send(bodies);
    await running.compaction.drain();
    const connection = await openConnection(file, { durability: "NORMAL" });
    connection.exec("pragma wal_checkpoint(truncate)");
    connection.close();
    await work({ running, filling, file, bytes: statSync(file).size / (bodies * EVENTS_PER_BODY) });
  } finally {
    await running.stop();
  }
}

async function compare({ running, filling, file }: Filled, rounds: number): Promise<void> {
  const { service } = running;
  const arrays = await readArrays(service.store, filling.gameId);
  const duckDb = await inDuckDb(`${file}.duckdb`, arrays);
  const rows = await inRows(file, arrays);
  const ask = async (app: App) => await (await app.fetch(createRequest(filling.key))).text();
  const fresh = () => createApp({ ...service, heatmapCache: new HeatmapCache() }, () => "hash");
  const heatmap = JSON.parse(await ask(fresh())) as Heatmap;
  for (const sql of [duckDb, rows]) {
    if (!isDeepStrictEqual(await sql.run(), heatmap.rooms)) throw new Error("SQL returned different counts");
  }
  // The slow case has separate rounds, because it would evict the files of the others from memory.
  const slow: Case[] = [{ name: ROWS, run: () => timed(() => rows.run()) }];
  const cases: Case[] = [
    { name: FIRST, run: () => timed(() => ask(fresh())) },
    { name: DUCKDB, run: () => timed(() => duckDb.run()) },
    {
      name: AGAIN,
      async run() {
        await filling.send(1);
        return await timed(() => ask(running.app));
      },
    },
  ];
  const measured = new Map([...(await medians(cases, rounds, 3)), ...(await medians(slow, 3, 0))]);
  const first = getMedian(measured, FIRST);
  const lines = [FIRST, AGAIN, DUCKDB, ROWS].map((name) => {
    const median = getMedian(measured, name);
    return [name, ms(median), (median / first).toFixed(name === AGAIN ? 4 : 2)];
  });
  recordTarget("heatmapOverDuckDb", getMedian(measured, DUCKDB) / first);
  recordTarget("heatmapOverRows", getMedian(measured, ROWS) / first);
  recordTarget("heatmapAgain", getMedian(measured, AGAIN) / first);
  const points = heatmap.eventCount.toLocaleString("en");
  print(`Heatmap of ${points} positions`, [["", "median", "ratio"], ...lines]);
  for (const sql of [duckDb, rows]) await sql.close();
}

function createRequest(key: string): Request {
  return new Request(`http://127.0.0.1/api/v1/heatmaps/${GAME}`, {
    headers: { authorization: `Bearer ${key}` },
  });
}
