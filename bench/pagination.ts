/** Deep pagination: the last page and the complete list of sessions by time window, compared with offsets and the first page. */
import { join } from "node:path";
import { paginateByOffset } from "../src/client/paging.ts";
import { paginateByTime } from "../src/client/time-pagination.ts";
import type { Page } from "../src/contract/define.ts";
import { MAX_PAGE_SIZE } from "../src/contract/fields.ts";
import type { Session } from "../src/contract/sessions.ts";
import { type Case, getMedian, type Medians, medians, ms, print, ratio, timed } from "./measure.ts";
import { type Filled, fill } from "./scale.ts";
import { inFolder } from "./servers.ts";
import { recordTarget } from "./targets.ts";

const SESSIONS = 50_000;
const FULL_SESSIONS = 1_000_000;
/** Reading a complete list by offset has quadratic cost. */
const MAX_LISTED_SESSIONS = 200_000;
/** Requests per round. */
const REQUESTS = 5;

type Range = Readonly<Record<string, number | undefined>>;

/** Runs the benchmark. `--full` measures the last page of a million sessions, and the complete list of 200,000. */
export async function benchPagination(quick: boolean): Promise<void> {
  const sessions = process.argv.includes("--full") ? FULL_SESSIONS : quick ? SESSIONS / 5 : SESSIONS;
  await withSessions(sessions, lastPage);
  await withSessions(Math.min(sessions, MAX_LISTED_SESSIONS), paginateAll);
}

async function withSessions(
  sessions: number,
  measure: (filled: Filled, sessions: number) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const filled = await fill(join(folder, "pagination.db"), sessions);
    try {
      await measure(filled, sessions);
    } finally {
      await filled.stop();
    }
  });
}

async function page(filled: Filled, range: Range): Promise<Page<Session>> {
  const query = Object.entries(range).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  return JSON.parse(await filled.ask(`/api/v1/sessions?${query.join("&")}`)) as Page<Session>;
}

async function lastPage(filled: Filled, sessions: number): Promise<void> {
  const offset = sessions - Math.max(MAX_PAGE_SIZE, sessions / 1000);
  const to = (await page(filled, { limit: MAX_PAGE_SIZE, offset })).items[0]?.recordedAt;
  const heading = `Page at offset ${offset.toLocaleString("en")} of ${sessions.toLocaleString("en")} sessions`;
  const measured = await compare(heading, 15, {
    "first page": () => page(filled, { limit: MAX_PAGE_SIZE, offset: 0 }),
    "by offset": () => page(filled, { limit: MAX_PAGE_SIZE, offset }),
    "by time window": () => page(filled, { limit: MAX_PAGE_SIZE, offset: 0, to }),
  });
  recordTarget("deepPage", getMedian(measured, "by time window") / getMedian(measured, "first page"));
}

async function paginateAll(filled: Filled, sessions: number): Promise<void> {
  const pacer = { before: async () => {} };
  const fetchPage = (range: object) => page(filled, range as Range);
  const times = { getTime: (item: Session) => item.recordedAt, getId: (item: Session) => item.id };
  await compare(
    `Complete list of ${sessions.toLocaleString("en")} sessions`,
    sessions > SESSIONS ? 1 : 3,
    {
      "by offset": () =>
        drain(paginateByOffset(fetchPage, { offset: 0, items: Number.POSITIVE_INFINITY }, pacer)),
      "by time window": () => drain(paginateByTime({ fetchPage, ...times, pacer })),
    },
    1,
  );
}

async function drain(steps: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of steps);
}

async function compare(
  heading: string,
  rounds: number,
  methods: Readonly<Record<string, () => Promise<unknown>>>,
  requests = REQUESTS,
): Promise<Medians> {
  const names = Object.keys(methods);
  const cases: Case[] = Object.entries(methods).map(([name, method]) => ({
    name,
    run: () =>
      timed(async () => {
        for (let n = 0; n < requests; n += 1) await method();
      }),
  }));
  const measured = await medians(cases, rounds);
  const floor = getMedian(measured, names[0] ?? "");
  const rows = names.map((name) => [
    name,
    ms(getMedian(measured, name) / requests),
    ratio(getMedian(measured, name) / floor),
  ]);
  print(heading, [["", "median", "ratio"], ...rows]);
  return measured;
}
