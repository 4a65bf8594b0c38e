/**
 * Heatmaps: a request over a million stored positions, against a plain loop over the same positions in memory arrays;
 * its counting of points into cells alone, without the database; and drawing the answer for a terminal, which has to
 * cost less than the request.
 */
import { join } from "node:path";
import { GRID, type Heatmap } from "../src/contract/heatmaps.ts";
import { densityPicture } from "../src/pictures/heatmap.ts";
import { renderPicture } from "../src/render/heatmap/picture.ts";
import { createAccount, ensureGame, issueKeys } from "../src/server/accounts.ts";
import { openStore, type Store } from "../src/server/db/open.ts";
import { RoomGrid } from "../src/server/heatmap.ts";
import { ingest } from "../src/server/ingest/ingest.ts";
import { roomExtents, roomPoints } from "../src/server/queries/positions.ts";
import { startService } from "../src/server/start.ts";
import { type Case, medians, ms, of, print, ratio, timed } from "./measure.ts";
import { bodyOf, EVENTS_A_BODY, GAME } from "./play.ts";
import { inFolder } from "./servers.ts";

const SESSIONS = 200;
const FLOOR = "a plain loop over arrays";
const BINNING = "counting into cells";
const REQUEST = "the whole request";
const DRAWING = "drawing 12 rooms of it";
/** A wide window in truecolor: the most that is drawn. */
const WINDOW = { width: 200, color: 3, plain: false, wide: false, tty: true, now: 0, tz: "UTC" } as const;

type Extent = Awaited<ReturnType<typeof roomExtents>>[number];

/** The points of a room as the database's chunks and as plain arrays. */
interface Room {
  readonly extent: Extent;
  readonly chunks: readonly Float64Array[];
  readonly xs: readonly number[];
  readonly ys: readonly number[];
}

/** Measures and prints. */
export async function benchHeatmap(quick: boolean): Promise<void> {
  const bodies = quick ? 2 : 10;
  await inFolder(async (folder) => {
    const { store, app, key, gameId, stop } = await openFilled(join(folder, "heatmap.db"), bodies);
    try {
      const rooms = await roomsOf(store, gameId);
      const request = () =>
        new Request(`http://127.0.0.1/api/v1/heatmaps/${GAME}`, {
          headers: { authorization: `Bearer ${key}` },
        });
      const heatmap = withMostRooms((await (await app.fetch(request())).json()) as Heatmap);
      const cases: Case[] = [
        { name: FLOOR, run: () => timed(() => rooms.map(naive)) },
        { name: BINNING, run: () => timed(() => rooms.map(binned)) },
        { name: REQUEST, run: () => timed(async () => (await app.fetch(request())).text()) },
        { name: DRAWING, run: () => timed(() => renderPicture(densityPicture(heatmap), WINDOW)) },
      ];
      const measured = await medians(cases, quick ? 7 : 25, 3);
      const points = rooms.reduce((sum, { extent }) => sum + extent.points, 0);
      const rows = [FLOOR, BINNING, REQUEST, DRAWING].map((name) => [
        name,
        ms(of(measured, name)),
        ratio(of(measured, name) / of(measured, FLOOR)),
      ]);
      const heading = `Heatmap of ${points.toLocaleString("en")} positions in ${SESSIONS} sessions`;
      print(heading, [["", "median", "ratio"], ...rows]);
    } finally {
      await stop();
    }
  });
}

/** The answer with as many rooms as there may be: its own, and again as many of them as it takes. */
function withMostRooms(heatmap: Heatmap): Heatmap {
  const rooms = Array.from({ length: GRID.maxRooms }, (_, at) => heatmap.rooms[at % heatmap.rooms.length]);
  return { ...heatmap, rooms: rooms.filter((room) => room !== undefined) };
}

async function roomsOf(store: Store, gameId: string): Promise<Room[]> {
  const rooms: Room[] = [];
  for (const extent of (await roomExtents(store.read, { gameId })).slice(0, GRID.maxRooms)) {
    const chunks: Float64Array[] = [];
    for await (const points of roomPoints(store.read, { gameId }, extent.room)) chunks.push(points.slice());
    const xs = chunks.flatMap((points) => [...points.subarray(0, points.length / 2)]);
    const ys = chunks.flatMap((points) => [...points.subarray(points.length / 2)]);
    rooms.push({ extent, chunks, xs, ys });
  }
  return rooms;
}

/** What one would write first: a cell for each point, counted in an array. */
function naive({ extent, xs, ys }: Room): number[] {
  const { xMin, xMax, yMin, yMax } = extent;
  const counts = new Array<number>(GRID.cellsX * GRID.cellsY).fill(0);
  for (let at = 0; at < xs.length; at += 1) {
    const x = Math.min(GRID.cellsX - 1, Math.floor((((xs[at] ?? 0) - xMin) / (xMax - xMin)) * GRID.cellsX));
    const y = Math.min(GRID.cellsY - 1, Math.floor((((ys[at] ?? 0) - yMin) / (yMax - yMin)) * GRID.cellsY));
    counts[y * GRID.cellsX + x] = (counts[y * GRID.cellsX + x] ?? 0) + 1;
  }
  return counts;
}

function binned({ extent, chunks }: Room): unknown {
  const grid = new RoomGrid(extent);
  for (const points of chunks) grid.add(points);
  return grid.finish();
}

async function openFilled(database: string, bodies: number) {
  const store = await openStore({ database, durability: "NORMAL" });
  const { service, app, stop } = await startService({ store, limits: "off" });
  const account = await createAccount(store.write, service, "bench");
  const game = await ensureGame(store.write, service, account.id, GAME);
  const { management: key } = await issueKeys(store.write, service, account.id);
  const scope = { accountId: account.id, boundGameId: null };
  for (let session = 0; session < SESSIONS; session += 1) {
    for (let part = 0; part < bodies; part += 1) {
      await ingest(service, scope, bodyOf(`session-${session}`, part, 1, EVENTS_A_BODY));
    }
  }
  return { store, app, key, gameId: game.id, stop };
}
