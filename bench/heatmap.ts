/**
 * Heatmaps: a request over a million stored positions (ten with `--full`), against a plain loop over the same positions in
 * memory, DuckDB's SQL and rows in SQLite doing the same work; the request again, after one more batch and without;
 * bytes on disk an event; and drawing the answer for a terminal.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { GRID, type Heatmap } from "../src/contract/heatmaps.ts";
import { buildDensityView } from "../src/charts/heatmap.ts";
import { renderHeatmap } from "../src/render/heatmap/heatmap.ts";
import { openStore } from "../src/server/db/open.ts";
import { openConnection } from "../src/server/db/sqlite.ts";
import { type App, createApp } from "../src/server/http/app.ts";
import { HeatmapCache } from "../src/server/positions/heatmap-cache.ts";
import { type RunningService, startService } from "../src/server/start.ts";
import { type Case, medians, ms, of, print, ratio, timed } from "./measure.ts";
import { EVENTS_A_BODY, GAME } from "./play.ts";
import {
  arraysOf,
  countPlainly,
  type Filling,
  fillingOf,
  inDuckDb,
  inPostgres,
  inRows,
} from "./positions.ts";
import { inFolder } from "./servers.ts";
import { note } from "./targets.ts";

const FLOOR = "a plain loop over arrays";
const FIRST = "the whole request, nothing counted before";
const AGAIN = "the same again after one more batch";
const SAME = "the same again";
const DUCKDB = "DuckDB's SQL on two threads";
const POSTGRES = "Postgres' SQL";
const ROWS = "SQL over rows in the same file";
const DRAWING = "drawing 12 rooms of it";
/** A wide window in truecolor: the most that is drawn. */
const WINDOW = { width: 200, color: 3, plain: false, wide: false, tty: true, now: 0, tz: "UTC" } as const;

/** Measures and prints. */
export async function benchHeatmap(quick: boolean): Promise<void> {
  const full = process.argv.includes("--full");
  const bodies = full ? 20_000 : quick ? 400 : 2000;
  await inFolder(async (folder) => {
    const apart = await withFilled(join(folder, "apart.db"), false, bodies / 4, async ({ bytes }) => bytes);
    await withFilled(join(folder, "heatmap.db"), true, bodies, async (filled) => {
      note("positionBytes", filled.bytes);
      const size = [apart, filled.bytes].map((bytes) => `${bytes.toFixed(1)} bytes`);
      print("The whole file, an event", [
        ["", "before compaction", "after"],
        ["positions with ids that count", ...size],
      ]);
      await compare(filled, quick ? 5 : 21);
    });
  });
}

interface Filled {
  readonly running: RunningService;
  readonly filling: Filling;
  readonly file: string;
  /** Of the whole file, an event. */
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
    const filling = await fillingOf(running, compact);
    await filling.send(bodies);
    if (compact) await running.compaction.drain();
    const connection = await openConnection(file, { durability: "NORMAL" });
    connection.exec("pragma wal_checkpoint(truncate)");
    connection.close();
    return await work({ running, filling, file, bytes: statSync(file).size / (bodies * EVENTS_A_BODY) });
  } finally {
    await running.stop();
  }
}

async function compare({ running, filling, file }: Filled, rounds: number): Promise<void> {
  const { service } = running;
  const arrays = await arraysOf(service.store, filling.gameId);
  const duckDb = await inDuckDb(`${file}.duckdb`, arrays);
  const postgres = await inPostgres(arrays);
  const rows = await inRows(file, arrays);
  const ask = async (app: App) => await (await app.fetch(requestOf(filling.key))).text();
  const fresh = () => createApp({ ...service, heatmapCache: new HeatmapCache() });
  const heatmap = JSON.parse(await ask(fresh())) as Heatmap;
  for (const sql of [duckDb, postgres, rows]) {
    if (!isDeepStrictEqual(await sql.run(), heatmap.rooms)) throw new Error("SQL counts something else");
  }
  // What takes many seconds has rounds of its own: meanwhile the files of the others would leave the memory.
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
      run: () => timed(() => renderHeatmap(buildDensityView(withMostRooms(heatmap)), WINDOW)),
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
    ms(of(measured, name)),
    ratio(of(measured, name) / of(measured, FLOOR)),
    (of(measured, name) / of(measured, FIRST)).toFixed(name === AGAIN || name === SAME ? 4 : 2),
  ]);
  note("heatmapOverDuckDb", of(measured, DUCKDB) / of(measured, FIRST));
  note("heatmapOverRows", of(measured, ROWS) / of(measured, FIRST));
  note("heatmapAgain", of(measured, AGAIN) / of(measured, FIRST));
  const points = heatmap.eventCount.toLocaleString("en");
  print(`Heatmap of ${points} positions`, [["", "median", "ratio", "to the request"], ...lines]);
  for (const sql of [duckDb, postgres, rows]) await sql.close();
}

function requestOf(key: string): Request {
  return new Request(`http://127.0.0.1/api/v1/heatmaps/${GAME}`, {
    headers: { authorization: `Bearer ${key}` },
  });
}

/** The answer with as many rooms as there may be: its own, and again as many of them as it takes. */
function withMostRooms(heatmap: Heatmap): Heatmap {
  const rooms = Array.from({ length: GRID.maxRooms }, (_, at) => heatmap.rooms[at % heatmap.rooms.length]);
  return { ...heatmap, rooms: rooms.filter((room) => room !== undefined) };
}
