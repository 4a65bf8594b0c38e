/**
 * Heatmaps: a request over a million stored positions (10 million with `--full`), compared with a plain loop over the same
 * positions in memory, and with SQL in DuckDB, Postgres and SQLite; repeated requests; bytes on disk per event; and
 * rendering the heatmap for a terminal.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { buildDensityView } from "../src/charts/heatmap.ts";
import { GRID, type Heatmap } from "../src/contract/heatmaps.ts";
import { renderHeatmap } from "../src/render/heatmap/heatmap.ts";
import { openStore } from "../src/server/db/open.ts";
import { openConnection } from "../src/server/db/sqlite.ts";
import { type App, createApp } from "../src/server/http/app.ts";
import { HeatmapCache } from "../src/server/positions/heatmap-cache.ts";
import { type RunningService, startService } from "../src/server/start.ts";
import { type Case, getMedian, medians, ms, print, ratio, timed } from "./measure.ts";
import {
  countPlainly,
  createFilling,
  type Filling,
  inDuckDb,
  inPostgres,
  inRows,
  readArrays,
} from "./positions.ts";
import { inFolder } from "./servers.ts";
import { recordTarget } from "./targets.ts";
import { EVENTS_PER_BODY, GAME } from "./telemetry.ts";

const FLOOR = "plain loop over arrays";
const FIRST = "whole request, empty cache";
const AGAIN = "repeated after one more batch";
const SAME = "repeated without changes";
const DUCKDB = "SQL in DuckDB, 2 threads";
const POSTGRES = "SQL in Postgres";
const ROWS = "SQL over rows in the same SQLite file";
const DRAWING = "rendering 12 rooms";
/** A wide terminal with truecolor, which is the most expensive to render. */
const WINDOW = { width: 200, color: 3, plain: false, wide: false, tty: true, now: 0, tz: "UTC" } as const;

/** Measures and prints. */
export async function benchHeatmap(quick: boolean): Promise<void> {
  const full = process.argv.includes("--full");
  const bodies = full ? 20_000 : quick ? 400 : 2000;
  await inFolder(async (folder) => {
    const apart = await withFilled(join(folder, "apart.db"), false, bodies / 4, async ({ bytes }) => bytes);
    await withFilled(join(folder, "heatmap.db"), true, bodies, async (filled) => {
      recordTarget("positionBytes", filled.bytes);
      const size = [apart, filled.bytes].map((bytes) => `${bytes.toFixed(1)} bytes`);
      print("Size of the database file per event", [
        ["", "before compaction", "after compaction"],
        ["positions with counter-like ids", ...size],
      ]);
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

/** Fills a database with bodies of positions, compacted as they come or not at all. */
async function withFilled<T>(
  file: string,
  compact: boolean,
  bodies: number,
  work: (filled: Filled) => Promise<T>,
): Promise<T> {
  const store = await openStore({ database: file, durability: "NORMAL" });
  const running = await startService({ store, limits: "off", sharesDatabase: true });
  try {
    const filling = await createFilling(running, compact);
    await filling.send(bodies);
    if (compact) await running.compaction.drain();
    const connection = await openConnection(file, { durability: "NORMAL" });
    connection.exec("pragma wal_checkpoint(truncate)");
    connection.close();
    return await work({ running, filling, file, bytes: statSync(file).size / (bodies * EVENTS_PER_BODY) });
  } finally {
    await running.stop();
  }
}

async function compare({ running, filling, file }: Filled, rounds: number): Promise<void> {
  const { service } = running;
  const arrays = await readArrays(service.store, filling.gameId);
  const duckDb = await inDuckDb(`${file}.duckdb`, arrays);
  const postgres = await inPostgres(arrays);
  const rows = await inRows(file, arrays);
  const ask = async (app: App) => await (await app.fetch(createRequest(filling.key))).text();
  const fresh = () => createApp({ ...service, heatmapCache: new HeatmapCache() });
  const heatmap = JSON.parse(await ask(fresh())) as Heatmap;
  for (const sql of [duckDb, postgres, rows]) {
    if (!isDeepStrictEqual(await sql.run(), heatmap.rooms)) throw new Error("SQL returned different counts");
  }
  // Slow cases have separate rounds, because they would evict the files of the others from memory.
  const slow: Case[] = [
    { name: POSTGRES, run: () => timed(() => postgres.run()) },
    { name: ROWS, run: () => timed(() => rows.run()) },
  ];
  const cases: Case[] = [
    { name: FLOOR, run: () => timed(() => arrays.map(countPlainly)) },
    { name: FIRST, run: () => timed(() => ask(fresh())) },
    { name: DUCKDB, run: () => timed(() => duckDb.run()) },
    {
      name: DRAWING,
      run: () => timed(() => renderHeatmap(buildDensityView(withMaxRooms(heatmap)), WINDOW)),
    },
    { name: SAME, run: () => timed(() => ask(running.app)) },
    {
      name: AGAIN,
      async run() {
        await filling.send(1);
        return await timed(() => ask(running.app));
      },
    },
  ];
  const measured = new Map([...(await medians(cases, rounds, 3)), ...(await medians(slow, 3, 0))]);
  const lines = [FLOOR, FIRST, AGAIN, SAME, DUCKDB, POSTGRES, ROWS, DRAWING].map((name) => [
    name,
    ms(getMedian(measured, name)),
    ratio(getMedian(measured, name) / getMedian(measured, FLOOR)),
    (getMedian(measured, name) / getMedian(measured, FIRST)).toFixed(name === AGAIN || name === SAME ? 4 : 2),
  ]);
  recordTarget("heatmapOverDuckDb", getMedian(measured, DUCKDB) / getMedian(measured, FIRST));
  recordTarget("heatmapOverRows", getMedian(measured, ROWS) / getMedian(measured, FIRST));
  recordTarget("heatmapAgain", getMedian(measured, AGAIN) / getMedian(measured, FIRST));
  const points = heatmap.eventCount.toLocaleString("en");
  print(`Heatmap of ${points} positions`, [["", "median", "ratio", "vs. request"], ...lines]);
  for (const sql of [duckDb, postgres, rows]) await sql.close();
}

function createRequest(key: string): Request {
  return new Request(`http://127.0.0.1/api/v1/heatmaps/${GAME}`, {
    headers: { authorization: `Bearer ${key}` },
  });
}

/** The heatmap with the maximum number of rooms, by repeating its rooms. */
function withMaxRooms(heatmap: Heatmap): Heatmap {
  const rooms = Array.from({ length: GRID.maxRooms }, (_, at) => heatmap.rooms[at % heatmap.rooms.length]);
  return { ...heatmap, rooms: rooms.filter((room) => room !== undefined) };
}
