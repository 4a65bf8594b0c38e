/** Lists: a page of 20 sessions from the service, compared with a server that only sends the same bytes. */
import { join } from "node:path";
import { getRequest, postRequest, sendAll } from "./load.ts";
import { type Case, getMedian, medians, print, rate, ratio, timed } from "./measure.ts";
import { type BenchServer, inFolder, startBaseline, startService } from "./servers.ts";
import { recordTarget } from "./targets.ts";
import { createBody, GAME } from "./telemetry.ts";

const CONNECTIONS = 8;
const SESSIONS = 200;
const PATH = `/api/v1/sessions?game=${GAME}&limit=20`;
const FLOOR = "node:http, the same bytes";
const SERVICE = "the service";

/** Measures and prints. */
export async function benchList(quick: boolean): Promise<void> {
  const [rounds, each] = quick ? [3, 100] : [9, 250];
  await inFolder(async (folder) => {
    const service = await startService(folder, join(folder, "list.db"), GAME);
    try {
      await fill(service);
      const headers = { authorization: `Bearer ${service.managementKey}` };
      const page = await (await fetch(service.url + PATH, { headers })).text();
      const floor = await startBaseline(page);
      const get = ({ url, managementKey }: BenchServer) => {
        const requests = new Array<Buffer>(each).fill(getRequest(url, PATH, managementKey));
        return timed(() => sendAll(url, new Array(CONNECTIONS).fill(requests), 200));
      };
      const cases: Case[] = [
        { name: FLOOR, run: () => get(floor) },
        { name: SERVICE, run: () => get(service) },
      ];
      const measured = await medians(cases, rounds, 2).finally(() => floor.stop());
      recordTarget("list", getMedian(measured, FLOOR) / getMedian(measured, SERVICE));
      const rows = [FLOOR, SERVICE].map((name) => [
        name,
        rate(CONNECTIONS * each, getMedian(measured, name)),
        ratio(getMedian(measured, FLOOR) / getMedian(measured, name)),
      ]);
      const size = `${(page.length / 1024).toFixed(1)} KiB`;
      print(`Page of 20 out of ${SESSIONS} sessions, ${size}, ${CONNECTIONS} connections`, [
        ["", "requests", "ratio"],
        ...rows,
      ]);
    } finally {
      await service.stop();
    }
  });
}

async function fill({ url, ingestKey }: BenchServer): Promise<void> {
  const requests = Array.from({ length: SESSIONS }, (_, at) => {
    const body = { ...createBody(`session-${at}`, 0, 0.5, 20), sessionEnded: true };
    return postRequest(url, "/api/telemetry", ingestKey, JSON.stringify(body));
  });
  await sendAll(url, [requests], 202);
}
