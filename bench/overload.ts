/** Overload: the latency of allowed requests while many others are refused, compared with the same requests without load. */
import { join } from "node:path";
import { postRequest, sendAll } from "./load.ts";
import { median, ms, print, ratio, timed } from "./measure.ts";
import { type BenchServer, inFolder, startService } from "./servers.ts";
import { createBody, GAME } from "./telemetry.ts";

const PATH = "/api/telemetry";
/** Number of clients that ignore refusals, each with its own connection and address. */
const FLOODING = 16;
/** Requests that such a client sends before it checks whether to stop. */
const BURST = 50;
/** More than an address may send in a minute. */
const TOO_MANY = 400;

/** Measures and prints. */
export async function benchOverload(quick: boolean): Promise<void> {
  const [rounds, each] = quick ? [3, 50] : [9, 200];
  await inFolder(async (folder) => {
    const service = await startService(folder, join(folder, "load.db"), GAME, "--trust-proxy");
    try {
      const [alone, during]: [number[], number[]] = [[], []];
      let [refused, took] = [0, 0];
      for (let round = 0; round < rounds; round += 1) {
        alone.push(...(await probe(service, round * 2, each)));
        await sendAll(service.url, createRequests(service, TOO_MANY), null);
        const flood = startFlood(service);
        took += await timed(async () => during.push(...(await probe(service, round * 2 + 1, each))));
        refused += await flood.stop();
      }
      const rows = [row("alone", alone, alone), row("during the overload", during, alone)];
      const flooded = Math.round((refused / took) * 1000).toLocaleString("en");
      print(
        `Latency of allowed requests with 20 events, including the connection; ${flooded} requests/s are refused`,
        [["", "median", "p99", "median ratio", "p99 ratio"], ...rows],
      );
    } finally {
      await service.stop();
    }
  });
}

function row(name: string, values: readonly number[], floor: readonly number[]): string[] {
  const [middle, late] = [median(values), percentile99(values)];
  return [name, ms(middle), ms(late), ratio(middle / median(floor)), ratio(late / percentile99(floor))];
}

/** The 99th percentile. */
function percentile99(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN;
}

/** Measures the latency of `each` sequential requests, ms, each from a new address. */
async function probe({ url, ingestKey }: BenchServer, round: number, each: number): Promise<number[]> {
  const times: number[] = [];
  for (let nth = 0; nth < each; nth += 1) {
    const json = JSON.stringify(createBody(`round-${round}-${nth}`, 0, 0.5, 20));
    const request = postRequest(url, PATH, ingestKey, json, from(`10.${round}.${nth >> 8}.${nth & 255}`));
    times.push(await timed(() => sendAll(url, [[request]], 202)));
  }
  return times;
}

/** Sends requests from addresses above their limit until `stop`, which returns how many were sent. */
function startFlood(service: BenchServer) {
  let isOver = false;
  let sent = 0;
  const bursts = createRequests(service, BURST).map(async (burst) => {
    for (; !isOver; sent += BURST) await sendAll(service.url, [burst], null);
  });
  return {
    async stop() {
      isOver = true;
      await Promise.all(bursts);
      return sent;
    },
  };
}

function createRequests({ url, ingestKey }: BenchServer, each: number): Buffer[][] {
  const json = JSON.stringify(createBody("flood", 0, 0.5, 20));
  return Array.from({ length: FLOODING }, (_, at) =>
    new Array<Buffer>(each).fill(postRequest(url, PATH, ingestKey, json, from(`172.16.0.${at}`))),
  );
}

const from = (address: string) => [`x-forwarded-for: ${address}`];
