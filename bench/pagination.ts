/** Deep pagination: the last page of sessions by time window, compared with its offset and the first page. */
import { join } from "node:path";
import type { Page } from "../src/contract/define.ts";
import { MAX_PAGE_SIZE } from "../src/contract/fields.ts";
import type { Session } from "../src/contract/sessions.ts";
import { type Case, getMedian, medians, ms, print, ratio, timed } from "./measure.ts";
import { type Filled, fill } from "./sample-sessions.ts";
import { inFolder } from "./servers.ts";
import { recordTarget } from "./targets.ts";

const SESSIONS = 50_000;
const FULL_SESSIONS = 1_000_000;
/** Requests per round. */
const REQUESTS = 5;
const FIRST = "first page";
const OFFSET = "by offset";
const WINDOW = "by time window";

type Range = Readonly<Record<string, number | undefined>>;

/** Runs the benchmark. `--full` uses a million sessions. */
export async function benchPagination(quick: boolean): Promise<void> {
  const sessions = process.argv.includes("--full") ? FULL_SESSIONS : quick ? SESSIONS / 5 : SESSIONS;
  await inFolder(async (folder) => {
    const filled = await fill(join(folder, "pagination.db"), sessions);
    try {
      await lastPage(filled, sessions);
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
  const ranges = { [FIRST]: { offset: 0 }, [OFFSET]: { offset }, [WINDOW]: { offset: 0, to } };
  const cases: Case[] = Object.entries(ranges).map(([name, range]) => ({
    name,
    run: () =>
      timed(async () => {
        for (let n = 0; n < REQUESTS; n += 1) await page(filled, { limit: MAX_PAGE_SIZE, ...range });
      }),
  }));
  const measured = await medians(cases, 15);
  const first = getMedian(measured, FIRST);
  const rows = cases.map(({ name }) => {
    const median = getMedian(measured, name);
    return [name, ms(median / REQUESTS), ratio(median / first)];
  });
  print(`Page at offset ${offset.toLocaleString("en")} of ${sessions.toLocaleString("en")} sessions`, [
    ["", "median", "ratio"],
    ...rows,
  ]);
  recordTarget("deepPage", getMedian(measured, WINDOW) / first);
}
