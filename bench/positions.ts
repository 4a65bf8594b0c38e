/** Positions for the heatmap benchmark: a database filled through ingest, and the same positions in tables for SQL. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { GRID, type Heatmap } from "../src/contract/heatmaps.ts";
import { createAccount, issueKeys } from "../src/server/accounts/accounts.ts";
import type { Store } from "../src/server/db/open.ts";
import { openConnection } from "../src/server/db/sqlite.ts";
import { ensureGame } from "../src/server/games/games.ts";
import {
  findRoomBlocks,
  readRoomPositions,
  streamBlockPoints,
  streamChunkPoints,
} from "../src/server/positions/position-queries.ts";
import type { RunningService } from "../src/server/start.ts";
import { ingest } from "../src/server/telemetry/ingest.ts";
import { EVENTS } from "../src/shared/event-names.ts";
import { SOURCES } from "../src/shared/session-sources.ts";
import { openDuck } from "./duckdb.ts";
import { createBody, EVENTS_PER_BODY, GAME } from "./telemetry.ts";

const BODIES_PER_SESSION = 10;
/** Bodies between two compactions: a few seconds of a busy service. */
const BODIES_PER_COMPACTION = 250;

/** An account with the benchmark's game, and a function that sends positions. */
export interface Filling {
  readonly key: string;
  readonly gameId: string;
  /** Sends the next bodies of positions. */
  send(bodies: number): Promise<void>;
}

/** Creates the game. Its event ids count up: e-000001. */
export async function createFilling({ service, compaction }: RunningService): Promise<Filling> {
  const { store } = service;
  const account = await createAccount(store.writeDb, service, "bench");
  const game = await ensureGame(store.writeDb, service, account.id, GAME);
  const { management: key } = await issueKeys(store.writeDb, service, account.id);
  const scope = { accountId: account.id, boundGameId: null };
  let sent = 0;
  const send = async (bodies: number) => {
    for (const end = sent + bodies; sent < end; sent += 1) {
      const session = `session-${Math.floor(sent / BODIES_PER_SESSION)}`;
      const body = createBody(session, sent % BODIES_PER_SESSION, 1, EVENTS_PER_BODY);
      const events = body.events.map((event) => ({
        ...event,
        id: `e-${event.id.slice(1).padStart(6, "0")}`,
      }));
      await ingest(service, scope, { ...body, events });
      if (sent % BODIES_PER_COMPACTION === 0) await compaction.drain();
    }
  };
  return { key, gameId: game.id, send };
}

/** The positions of a room. */
export interface RoomArrays {
  readonly room: string;
  readonly xs: Float64Array;
  readonly ys: Float64Array;
}

/** Reads all positions of a game into memory. */
export async function readArrays(store: Store, gameId: string): Promise<RoomArrays[]> {
  const rooms: RoomArrays[] = [];
  const filter = { gameId, event: EVENTS.position, source: SOURCES.unity };
  for (const extent of await readRoomPositions(store.readDb, filter)) {
    const [xs, ys] = [new Float64Array(extent.points), new Float64Array(extent.points)];
    let next = 0;
    const ids = (await findRoomBlocks(store.readDb, filter, extent.room)).map(({ id }) => id);
    for await (const { xy } of streamBlockPoints(store.readDb, gameId, ids)) {
      for (let at = 0; at < xy.length; at += 2, next += 1) {
        xs[next] = xy[at] ?? 0;
        ys[next] = xy[at + 1] ?? 0;
      }
    }
    for await (const { xy } of streamChunkPoints(store.readDb, filter, extent.room, null)) {
      xs.set(xy.subarray(0, xy.length / 2), next);
      ys.set(xy.subarray(xy.length / 2), next);
      next += xy.length / 2;
    }
    rooms.push({ ...extent, xs, ys });
  }
  return rooms;
}

/** The heatmap in SQL: the 12 rooms with the most positions, their bounds, and the positions of each cell in order. */
const heatmapSql = (whole: (value: string) => string) => `
  with rooms as (
    select room, count(*) as points, min(x) as x0, max(x) as x1, min(y) as y0, max(y) as y1
    from positions group by room order by points desc, room limit ${GRID.maxRooms}
  ), cells as (
    select p.room,
      ${whole(`(x - x0) / (x1 - x0) * ${GRID.cellsX}`)} as cx,
      ${whole(`(y - y0) / (y1 - y0) * ${GRID.cellsY}`)} as cy,
      count(*) as n
    from positions p join rooms r on p.room = r.room group by 1, 2, 3
  )
  select r.room, points, x0, x1, y0, y1,
    min(cx, ${GRID.cellsX - 1}) as cx, min(cy, ${GRID.cellsY - 1}) as cy, sum(n) as n
  from cells c join rooms r on c.room = r.room
  group by 1, 2, 3, 4, 5, 6, 7, 8 order by points desc, r.room, 8, 7`;

/** The same for DuckDB, where a cast rounds and `min` does not accept two values. */
const STANDARD_SQL = heatmapSql((value) => `cast(floor(${value}) as integer)`).replaceAll(
  /\bmin\((c[xy]),/g,
  "least($1,",
);

/** A heatmap computed by SQL. */
export interface SqlHeatmap {
  /** Runs the query, and returns the rooms as the API shows them. */
  run(): Promise<Heatmap["rooms"]>;
  close(): void | Promise<void>;
}

type Row = readonly [room: string, points: number, ...bounds: number[]];

/** Positions in a table of a DuckDB file. */
export async function inDuckDb(file: string, rooms: readonly RoomArrays[]): Promise<SqlHeatmap> {
  const { connection, rows, stop } = await openDuck(file);
  await connection.run("create table positions (room varchar, x double, y double)");
  await append(connection, rooms);
  return {
    async run() {
      return toRooms(
        (await rows(STANDARD_SQL)).map(
          ([room, ...numbers]) => [String(room), ...numbers.map(Number)] as unknown as Row,
        ),
      );
    },
    close: stop,
  };
}

async function append(connection: DuckDBConnection, rooms: readonly RoomArrays[]): Promise<void> {
  const appender = await connection.createAppender("positions");
  for (const { room, xs, ys } of rooms) {
    for (const [at, x] of xs.entries()) {
      appender.appendVarchar(room);
      appender.appendDouble(x);
      appender.appendDouble(ys[at] ?? 0);
      appender.endRow();
    }
  }
  appender.closeSync();
}

/** Positions as rows of a table in the database file of the service. */
export async function inRows(file: string, rooms: readonly RoomArrays[]): Promise<SqlHeatmap> {
  const connection = await openConnection(file, { durability: "NORMAL" });
  connection.exec("create table positions (room text not null, x real not null, y real not null)");
  const insert = connection.prepare("insert into positions values (?, ?, ?)");
  connection.exec("begin");
  for (const { room, xs, ys } of rooms) for (const [at, x] of xs.entries()) insert.run(room, x, ys[at] ?? 0);
  connection.exec("commit");
  connection.exec("pragma wal_checkpoint(truncate)");
  const select = connection.prepare(heatmapSql((value) => `cast(${value} as integer)`));
  return {
    run: async () => toRooms(select.all().map((row) => Object.values(row as object) as unknown as Row)),
    close() {
      connection.exec("drop table positions");
      connection.close();
    },
  };
}

function toRooms(rows: readonly Row[]): Heatmap["rooms"] {
  const rooms = new Map<string, { row: Row; cells: { x: number; y: number; n: number }[] }>();
  for (const row of rows) {
    const room = rooms.get(row[0]) ?? { row, cells: [] };
    room.cells.push({ x: row[6] ?? 0, y: row[7] ?? 0, n: row[8] ?? 0 });
    rooms.set(row[0], room);
  }
  return [...rooms.values()].map(({ row, cells }) => {
    const [room, totalEvents, xMin = 0, xMax = 0, yMin = 0, yMax = 0] = row;
    const maxLog = Math.log(1 + Math.max(...cells.map(({ n }) => n)));
    return {
      ...{ room, cellsX: GRID.cellsX, cellsY: GRID.cellsY },
      cells: cells.map(({ x, y, n }) => ({ x, y, intensity: Math.log(1 + n) / maxLog })),
      ...{ totalEvents, bounds: { xMin, xMax, yMin, yMax } },
    };
  });
}
