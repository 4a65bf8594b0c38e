/** Long walks: the last page and the whole list of sessions by time windows, against plain offsets and the first page. */
import { join } from "node:path";
import { paginateByOffset } from "../src/client/paging.ts";
import { paginateByTime } from "../src/client/time-pagination.ts";
import type { Page } from "../src/contract/define.ts";
import { MAX_PAGE_SIZE } from "../src/contract/fields.ts";
import type { Session } from "../src/contract/sessions.ts";
import { type Case, type Medians, medians, ms, of, print, ratio, timed } from "./measure.ts";
import { type Filled, fill } from "./scale.ts";
import { inFolder } from "./servers.ts";
import { note } from "./targets.ts";

const SESSIONS = 50_000;
const FULL = 1_000_000;
/** By offsets a whole walk costs the square of the list. */
const MOST_WALKED = 200_000;
const EACH = 5;

type Range = Readonly<Record<string, number | undefined>>;

/** Measures and prints; `--full` asks for the last page of a million sessions, and walks over 200,000. */
export async function benchWalk(quick: boolean): Promise<void> {
  const sessions = process.argv.includes("--full") ? FULL : quick ? SESSIONS / 5 : SESSIONS;
  await withSessions(sessions, lastPage);
  await withSessions(Math.min(sessions, MOST_WALKED), wholeWalk);
}

async function withSessions(
  sessions: number,
  measure: (filled: Filled, sessions: number) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const filled = await fill(join(folder, "walk.db"), sessions);
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
  // Of a million, the page at 999,000.
  const offset = sessions - Math.max(MAX_PAGE_SIZE, sessions / 1000);
  const to = (await page(filled, { limit: MAX_PAGE_SIZE, offset })).items[0]?.recordedAt;
  const heading = `The page at ${offset.toLocaleString("en")} of ${sessions.toLocaleString("en")} sessions`;
  const measured = await compare(heading, 15, {
    "the first page": () => page(filled, { limit: MAX_PAGE_SIZE, offset: 0 }),
    "by offset": () => page(filled, { limit: MAX_PAGE_SIZE, offset }),
    "by time window": () => page(filled, { limit: MAX_PAGE_SIZE, offset: 0, to }),
  });
  note("deepPage", of(measured, "by time window") / of(measured, "the first page"));
}

async function wholeWalk(filled: Filled, sessions: number): Promise<void> {
  const pacer = { before: async () => {} };
  const fetchPage = (range: object) => page(filled, range as Range);
  const times = { timeOf: (item: Session) => item.recordedAt, idOf: (item: Session) => item.id };
  await compare(
    `The whole list of ${sessions.toLocaleString("en")} sessions`,
    sessions > SESSIONS ? 1 : 3,
    {
      "by offsets": () =>
        drain(paginateByOffset(fetchPage, { offset: 0, items: Number.POSITIVE_INFINITY }, pacer)),
      "by time windows": () => drain(paginateByTime({ fetchPage, ...times, pacer })),
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
  ways: Readonly<Record<string, () => Promise<unknown>>>,
  each = EACH,
): Promise<Medians> {
  const names = Object.keys(ways);
  const cases: Case[] = Object.entries(ways).map(([name, way]) => ({
    name,
    run: () =>
      timed(async () => {
        for (let n = 0; n < each; n += 1) await way();
      }),
  }));
  const measured = await medians(cases, rounds);
  const floor = of(measured, names[0] ?? "");
  const rows = names.map((name) => [name, ms(of(measured, name) / each), ratio(of(measured, name) / floor)]);
  print(heading, [["", "median", "ratio"], ...rows]);
  return measured;
}
