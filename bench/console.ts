/** What open pages of the console cost ingest: the same bodies without and with 200 pages that ask for changes. */
import { join } from "node:path";
import { Agent, request } from "undici";
import { postRequest, sendAll } from "./load.ts";
import { median, ms, print, rate, ratio, timed } from "./measure.ts";
import { type BenchServer, inFolder, startService } from "./servers.ts";
import { createBody, EVENTS_PER_BODY, GAME } from "./telemetry.ts";

const PAGES = 200;
/** The interval of the pages' script. */
const INTERVAL_MS = 5000;
const CONNECTIONS = 8;
/** The service may repeat a page for this long, ms. */
const MAX_AGE_MS = 1000;
/** Sessions that are stored before. */
const STORED = 300;
/** Bodies of one connection between two looks at the clock. */
const BATCH = 5;

/** Pages of a game that receives telemetry. */
const toPaths = (...pages: readonly string[]) => pages.map((page) => `/games/${GAME}/${page}`);
const all = toPaths("sessions", "live", "builds", "compare");

/** The first two are those whose script asks for changes. The others cost more. */
const sets: Readonly<Record<string, readonly string[]>> = {
  alone: [],
  "sessions and live": all.slice(0, 2),
  "also builds and compare": all,
};

interface Polls {
  /** Duration of each response, ms. */
  readonly times: number[];
  unchanged: number;
}

export async function benchConsole(quick: boolean): Promise<void> {
  const [rounds, roundMs] = quick ? [3, 6000] : [6, 15_000];
  await inFolder(async (folder) => {
    const service = await startService(folder, join(folder, "console.db"), GAME);
    try {
      const cookie = await signIn(service);
      let session = await ingest(service, 0, STORED);
      const rates = new Map<string, number[]>();
      const polls = new Map<string, Polls>();
      for (let round = 0; round < rounds; round += 1) {
        for (const [name, paths] of Object.entries(sets)) {
          const measured = polls.get(name) ?? { times: [], unchanged: 0 };
          polls.set(name, measured);
          const pages = openPages(service, paths, cookie, measured);
          const from = session;
          const took = await timed(async () => {
            session = await ingestFor(service, session, roundMs);
          });
          await pages.close();
          rates.set(name, [...(rates.get(name) ?? []), ((session - from) * EVENTS_PER_BODY) / took]);
        }
      }
      const middle = (name: string) => median(rates.get(name) ?? []);
      print(
        `Ingest of events, with ${PAGES} open pages`,
        Object.keys(sets).map((name) => [name, rate(middle(name), 1), ratio(middle(name) / middle("alone"))]),
      );
      await printPolls(service, cookie, polls);
    } finally {
      await service.stop();
    }
  });
}

async function printPolls(
  service: BenchServer,
  cookie: string,
  polls: ReadonlyMap<string, Polls>,
): Promise<void> {
  const row = (name: string, { times, unchanged }: Polls) => [
    name,
    ms(median(times)),
    `${((100 * unchanged) / times.length).toFixed(1)}%`,
  ];
  const rows = [...polls].filter(([name]) => name !== "alone").map(([name, each]) => row(name, each));
  for (const path of all) {
    const quiet: Polls = { times: [], unchanged: 0 };
    const page = createPage(service, path, cookie, quiet);
    for (let nth = 0; nth < 5; nth += 1) {
      await wait(MAX_AGE_MS);
      await page();
    }
    rows.push(row(`without ingest: ${path}`, quiet));
  }
  print("Requests of pages: median duration, and share of 304", rows);
}

async function signIn({ url, managementKey }: BenchServer): Promise<string> {
  const { headers, body } = await request(`${url}/sign-in`, {
    method: "POST",
    headers: { origin: url, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ key: managementKey, next: "/" }).toString(),
  });
  await body.dump();
  return String(headers["set-cookie"]).split(";")[0] ?? "";
}

const wait = (duration: number) => new Promise((resolve) => setTimeout(resolve, duration));

const agent = new Agent({ connections: PAGES });

/** A function that asks for a page as its script does. */
function createPage({ url }: BenchServer, path: string, cookie: string, polls: Polls) {
  let etag = "";
  return async () => {
    const headers = { accept: "text/html", cookie, "if-none-match": etag, "sec-fetch-site": "same-origin" };
    polls.times.push(
      await timed(async () => {
        const answer = await request(url + path, { headers, dispatcher: agent });
        await answer.body.dump();
        if (answer.statusCode === 304) polls.unchanged += 1;
        else if (answer.statusCode !== 200) throw new Error(`${path} returned ${answer.statusCode}`);
        etag = String(answer.headers.etag ?? "");
      }),
    );
  };
}

/** Opens the pages, spread over the interval. */
function openPages(service: BenchServer, paths: readonly string[], cookie: string, polls: Polls) {
  let isOver = false;
  const open = Array.from({ length: paths.length === 0 ? 0 : PAGES }, async (_, nth) => {
    const page = createPage(service, paths[nth % paths.length] ?? "", cookie, polls);
    await wait((nth / PAGES) * INTERVAL_MS);
    while (!isOver) {
      const took = await timed(page);
      const left = INTERVAL_MS - took;
      for (let waited = 0; waited < left && !isOver; waited += 100) await wait(100);
    }
  });
  return {
    async close() {
      isOver = true;
      await Promise.all(open);
    },
  };
}

/** Sends bodies of sessions from a number on. Returns the number of the next one. */
async function ingest({ url, ingestKey }: BenchServer, from: number, count: number): Promise<number> {
  const bodies = Array.from({ length: CONNECTIONS }, (_, connection) =>
    Array.from({ length: Math.ceil(count / CONNECTIONS) }, (_, nth) =>
      postRequest(
        url,
        "/api/telemetry",
        ingestKey,
        JSON.stringify(createBody(`s${from + nth * CONNECTIONS + connection}`, 0)),
      ),
    ),
  );
  await sendAll(url, bodies, 202);
  return from + bodies.length * (bodies[0]?.length ?? 0);
}

async function ingestFor(service: BenchServer, from: number, duration: number): Promise<number> {
  const end = performance.now() + duration;
  let next = from;
  while (performance.now() < end) next = await ingest(service, next, CONNECTIONS * BATCH);
  return next;
}
