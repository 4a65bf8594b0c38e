/** Export of raw events: the duration of the command compared with its requests only, and its peak memory. */
import { join } from "node:path";
import { Agent, request } from "undici";
import { formats, runExport } from "./export.ts";
import { postRequest, sendAll } from "./load.ts";
import { type Case, getMedian, medians, print, ratio, timed } from "./measure.ts";
import { type BenchServer, inFolder, startService } from "./servers.ts";
import { createBody, EVENTS_PER_BODY, GAME } from "./telemetry.ts";

const EVENTS = 200_000;
const FULL = 1_000_000;
const SESSIONS_PER_ROUND = 8;
const BODIES_PER_SESSION = 10;

/** Measures and prints; `--full` exports a million events. */
export async function benchRawEvents(quick: boolean): Promise<void> {
  const full = process.argv.includes("--full");
  const events = full ? FULL : quick ? EVENTS / 4 : EVENTS;
  await inFolder(async (folder) => {
    const server = await startService(folder, join(folder, "raw.db"), GAME);
    try {
      await fill(server, events);
      const cursors = await collectCursors(server);
      await compare(server, cursors, { folder, events, rounds: full ? 2 : 3 });
    } finally {
      await server.stop();
    }
  });
}

/** Sends whole sessions, several at a time, so that their batches arrive in turns. */
async function fill({ url, ingestKey }: BenchServer, events: number): Promise<void> {
  const sessions = Math.ceil(events / (EVENTS_PER_BODY * BODIES_PER_SESSION));
  for (let first = 0; first < sessions; first += SESSIONS_PER_ROUND) {
    const names = Array.from(
      { length: Math.min(SESSIONS_PER_ROUND, sessions - first) },
      (_, at) => first + at,
    );
    const requests = names.map((name) =>
      Array.from({ length: BODIES_PER_SESSION }, (_, part) =>
        postRequest(url, "/api/telemetry", ingestKey, JSON.stringify(createBody(`raw-${name}`, part))),
      ),
    );
    await sendAll(url, requests, 202);
  }
}

const buildPath = (cursor: string | null) =>
  `/api/v1/raw-events/${GAME}${cursor === null ? "" : `?cursor=${cursor}`}`;

/** The cursors of all pages; null for the first one. */
async function collectCursors(server: BenchServer): Promise<(string | null)[]> {
  const cursors: (string | null)[] = [null];
  for (;;) {
    const { body } = await request(server.url + buildPath(cursors.at(-1) ?? null), {
      headers: { authorization: `Bearer ${server.managementKey}` },
    });
    const { next } = (await body.json()) as { next: string | null };
    if (next === null) return cursors;
    cursors.push(next);
  }
}

/** Requests all pages sequentially, and discards the bodies. */
async function drain(server: BenchServer, cursors: readonly (string | null)[]): Promise<void> {
  const dispatcher = new Agent({ connections: 1 });
  const headers = { authorization: `Bearer ${server.managementKey}` };
  for (const cursor of cursors) {
    const { body } = await request(server.url + buildPath(cursor), { dispatcher, headers });
    await body.arrayBuffer();
  }
  await dispatcher.close();
}

async function compare(
  server: BenchServer,
  cursors: readonly (string | null)[],
  { folder, events, rounds }: { folder: string; events: number; rounds: number },
): Promise<void> {
  const peaks = new Map<string, number>();
  const cases: Case[] = [
    { name: "requests only", run: () => timed(() => drain(server, cursors)) },
    ...formats.map((format) => ({
      name: format,
      run: () =>
        timed(async () => {
          const peak = await runExport(server, server.managementKey, format, folder, ["raw-events", GAME]);
          peaks.set(format, Math.max(peak, peaks.get(format) ?? 0));
        }),
    })),
  ];
  const measured = await medians(cases, rounds, 0);
  const floor = getMedian(measured, "requests only");
  const rows = cases.map(({ name }) => {
    const peak = peaks.get(name);
    const took = getMedian(measured, name);
    return [
      name,
      `${(took / 1000).toFixed(1)} s`,
      ratio(took / floor),
      peak === undefined ? `${cursors.length} requests` : `${Math.round(peak)} MB`,
    ];
  });
  print(`Export of ${events.toLocaleString("en")} raw events`, [["", "median", "ratio", "peak"], ...rows]);
}
