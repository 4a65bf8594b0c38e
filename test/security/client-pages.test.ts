/** Lists with a wrong `hasMore` or `total`: every command that pages ends with a clear error and limited memory. */
import { expect, test } from "vitest";
import { checkResponse } from "../../src/client/check-response.ts";
import { paginateByOffset } from "../../src/client/paging.ts";
import { getEvents } from "../../src/contract/events.ts";
import { listSessions } from "../../src/contract/sessions.ts";
import { responseBodies } from "../client/response-fixtures.ts";
import { type ScriptedReply, script } from "../client/script.ts";
import { runCli } from "../harness.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_GAME: "ember" };

interface Items {
  readonly items: readonly Record<string, unknown>[];
}
const [session = {}] = (responseBodies.listSessions as Items).items;
const [insight = {}] = (responseBodies.listInsights as Items).items;

const LONG = process.env.PLAYTEST_FAULTS === "long";

/** Kinds of wrong lists: number of items, `total`, and whether the items are new, for the nth request (from 0). */
type Lie = (nth: number) => { readonly count: number; readonly total: number; readonly fresh: boolean };

const lies: Readonly<Record<string, Lie>> = {
  "endless new items": () => ({ count: 100, total: 300, fresh: true }),
  "the same page repeatedly": () => ({ count: 100, total: 300, fresh: false }),
  "endless pages with few items": () => ({ count: LONG ? 1 : 50, total: 1, fresh: true }),
  "empty pages with hasMore": () => ({ count: 0, total: 300, fresh: true }),
  "an enormous total": () => ({ count: 100, total: Number.MAX_SAFE_INTEGER, fresh: true }),
  "a total that grows": (nth) => ({ count: 100, total: (nth + 2) * 100, fresh: true }),
};

/** A service with wrong lists. Times decrease from page to page, as in a correct list. */
function lying(lie: Lie) {
  return script(({ url }, nth): ScriptedReply => {
    const { pathname } = new URL(url);
    if (pathname.endsWith("/games/ember")) return { body: responseBodies.getGame };
    if (!/\/(sessions|insights)$/.test(pathname)) return { body: responseBodies.getEvents };
    const { count, total, fresh } = lie(nth);
    const of = pathname.endsWith("sessions") ? session : insight;
    const items = Array.from({ length: count }, (_, at) => {
      const number = fresh ? nth * 100 + at : at;
      const id = `x_${String(9e9 - number)}`;
      const time = 1_770_000_000_000 - number;
      return { ...of, id, recordedAt: time, createdAt: time };
    });
    return { body: { items, hasMore: true, total } };
  });
}

const lines = [
  "sessions list --all --format ndjson",
  "sessions list --all --json",
  "sessions list --limit 9007199254740991 --format csv",
  "insights list --all",
  "builds list --all",
  "export sessions --format ndjson",
  "export insights --out x",
  "export events --out x",
];

test.each(lines)(
  "%s ends",
  async (line) => {
    for (const [what, lie] of Object.entries(lies)) {
      const { transport, requests } = lying(lie);
      const { code, err } = await runCli(line.split(" "), { env, transport });
      expect([what, code, err.includes("error: ")]).toEqual([what, 53, true]);
      // Limit: twice the reported total plus 10,000, if every page has one item.
      expect(requests.length).toBeLessThan(10_100);
    }
  },
  120_000,
);

test("a list with a limit requests no more items than the limit", async () => {
  const { transport, requests } = lying(() => ({ count: 100, total: Number.MAX_SAFE_INTEGER, fresh: true }));
  for (const line of ["sessions list --limit 250 --json", "builds list", "report 1 2"]) {
    await runCli(line.split(" "), { env, transport });
  }
  expect(requests.length).toBeLessThan(100);
});

test("a list in memory has a maximum length, but a streamed list does not", async () => {
  const long = "x".repeat(40 * 2 ** 20);
  const items = [{ ...session, title: long }];
  const body = JSON.stringify({ items, hasMore: true, total: 1000 });
  const last = JSON.stringify({ items: [], hasMore: false, total: 1000 });
  const held = [
    ["sessions list --all --json", 53, 7],
    ["sessions list --all --format csv", 0, 9],
    ["builds list --all", 53, 7],
  ] as const;
  for (const [line, code, sent] of held.slice(0, LONG ? 3 : 2)) {
    const { transport, requests } = script((_, nth) => ({ body: nth < 8 ? body : last }));
    const run = await runCli(line.split(" "), { env, transport });
    expect([line, run.code, requests.length]).toEqual([line, code, sent]);
    if (code > 0) expect(run.err).toContain("larger than 256 MiB, which is too large to keep in memory");
  }
});

test("pagination stops at the requested number of items, and does not rely on the total", async () => {
  const pages = async (total: number, hasMore: boolean, items: number) => {
    const walk = paginateByOffset(
      async () => ({ items: [1, 2, 3], hasMore, total }),
      { offset: 0, items },
      { before: async () => {} },
    );
    let count = 0;
    for await (const _ of walk) count += 1;
    return count;
  };
  expect(await pages(0, false, Number.POSITIVE_INFINITY)).toBe(1);
  expect(await pages(3, true, 3)).toBe(1);
  await expect(pages(0, true, Number.POSITIVE_INFINITY)).rejects.toThrow("does not end");
});

test("a response is validated completely, in parts of any size", async () => {
  const { items } = responseBodies.listSessions as Items;
  const many = Array.from({ length: 20_000 }, (_, at) => ({ ...items[0], id: `sess_${at}` }));
  const page = (list: readonly unknown[]) => ({
    json: { items: list, hasMore: false, total: 1 },
    requestId: null,
  });
  expect(await checkResponse(listSessions, page(many))).toEqual(page(many).json);
  for (const at of [0, 1, 777, 19_999]) {
    const broken = many.map((one, nth) => (nth === at ? { ...one, duration: "long" } : one));
    await expect(checkResponse(listSessions, page(broken))).rejects.toThrow(
      /does not match the API contract: items\.\d+\.duration/,
    );
  }
  const events = responseBodies.getEvents as Record<string, unknown>;
  const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`event ${at}`, at]));
  const counted = (byName: object) => ({ json: { ...events, byName }, requestId: null });
  expect(await checkResponse(getEvents, counted(names))).toEqual(counted(names).json);
  for (const name of ["event 0", "event 300", "event 19999"]) {
    const broken = Object.fromEntries([
      ...Object.entries(names).filter(([key]) => key !== name),
      [name, "many"],
    ]);
    await expect(checkResponse(getEvents, counted(broken))).rejects.toThrow(
      "does not match the API contract: byName.",
    );
  }
});
