/** Overload: how long a request that the limits allow takes while far more are refused, against the same request alone. */
import { join } from "node:path";
import { postRequest, sendAll } from "./load.ts";
import { median, ms, print, ratio, timed } from "./measure.ts";
import { bodyOf, GAME } from "./play.ts";
import { type BenchServer, inFolder, startService } from "./servers.ts";

const PATH = "/api/telemetry";
/** Clients that go on after they were refused, each over a connection and from an address of its own. */
const FLOODING = 16;
/** What such a client sends before it looks whether to stop. */
const BURST = 50;
/** More than an address may send in a minute. */
const TOO_MANY = 400;

/** Measures and prints. */
export async function benchOverload(quick: boolean): Promise<void> {
  const [rounds, each] = quick ? [3, 50] : [9, 200];
  await inFolder(async (folder) => {
    const service = await startService(folder, join(folder, "load.db"), GAME, "--trust-proxy");
    try {
      const [alone, beside]: [number[], number[]] = [[], []];
      let [refused, took] = [0, 0];
      for (let round = 0; round < rounds; round += 1) {
        alone.push(...(await probe(service, round * 2, each)));
        await sendAll(service.url, requestsOf(service, TOO_MANY), null);
        const flood = startFlood(service);
        took += await timed(async () => beside.push(...(await probe(service, round * 2 + 1, each))));
        refused += await flood.stop();
      }
      const rows = [row("alone", alone, alone), row("beside the refused", beside, alone)];
      const flooded = Math.round((refused / took) * 1000).toLocaleString("en");
      print(
        `A body of 20 events that is allowed, its connection included; ${flooded} others a second are refused`,
        [["", "median", "99th of 100", "ratio of medians", "of 99ths"], ...rows],
      );
    } finally {
      await service.stop();
    }
  });
}

function row(name: string, values: readonly number[], floor: readonly number[]): string[] {
  const [middle, late] = [median(values), late99(values)];
  return [name, ms(middle), ms(late), ratio(middle / median(floor)), ratio(late / late99(floor))];
}

/** What 99 of 100 are below. */
function late99(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN;
}

/** How long each of so many requests took, ms, one after another, each from an address that has sent nothing before. */
async function probe({ url, ingestKey }: BenchServer, round: number, each: number): Promise<number[]> {
  const times: number[] = [];
  for (let nth = 0; nth < each; nth += 1) {
    const json = JSON.stringify(bodyOf(`round-${round}-${nth}`, 0, 0.5, 20));
    const request = postRequest(url, PATH, ingestKey, json, from(`10.${round}.${nth >> 8}.${nth & 255}`));
    times.push(await timed(() => sendAll(url, [[request]], 202)));
  }
  return times;
}

/** Sends from addresses that have sent too much already, until it is stopped; that answers how many were refused. */
function startFlood(service: BenchServer) {
  let isOver = false;
  let sent = 0;
  const bursts = requestsOf(service, BURST).map(async (burst) => {
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

function requestsOf({ url, ingestKey }: BenchServer, each: number): Buffer[][] {
  const json = JSON.stringify(bodyOf("flood", 0, 0.5, 20));
  return Array.from({ length: FLOODING }, (_, at) =>
    new Array<Buffer>(each).fill(postRequest(url, PATH, ingestKey, json, from(`172.16.0.${at}`))),
  );
}

const from = (address: string) => [`x-forwarded-for: ${address}`];
