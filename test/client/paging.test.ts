/** Walks over many pages: what they join to, how fast they go, and what ends them. */
import { describe, expect, test } from "vitest";
import { paginateByOffset } from "../../src/client/paging.ts";
import type { TransportRequest } from "../../src/client/transport.ts";
import { NOW, runCli } from "../harness.ts";
import { INSIGHT, pageOf, SESSION } from "./answers.ts";
import { type Given, script } from "./script.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k" };

const asked = ({ url }: TransportRequest, name: string) => Number(new URL(url).searchParams.get(name));

/** A service that has `total` sessions. */
function holding(total: number) {
  return script((request) => {
    const [offset, limit] = [asked(request, "offset"), asked(request, "limit")];
    const count = Math.max(0, Math.min(limit, total - offset));
    const items = Array.from({ length: count }, (_, at) => ({ ...SESSION, id: `sess_${offset + at}` }));
    return { body: pageOf(items, total, offset + count < total) };
  });
}

const list = (flags: string[], replies: Given[]) =>
  runCli(["sessions", "list", ...flags], { env, transport: script(...replies).transport });

describe("what is asked for", () => {
  test.each([
    [[], [[20, 0]]],
    [["--limit", "7"], [[7, 0]]],
    [["--limit", "100"], [[100, 0]]],
    [
      ["--limit", "250"],
      [
        [100, 0],
        [100, 100],
        [50, 200],
      ],
    ],
    [
      ["--limit", "150", "--offset", "40"],
      [
        [100, 40],
        [50, 140],
      ],
    ],
    [
      ["--all", "--offset", "210"],
      [
        [100, 210],
        [100, 310],
      ],
    ],
  ])("%j", async (flags, ranges) => {
    const { transport, requests } = holding(333);
    await runCli(["sessions", "list", ...flags], { env, transport });
    expect(requests.map((request) => [asked(request, "limit"), asked(request, "offset")])).toEqual(ranges);
  });
});

describe("the document of several pages", () => {
  test("holds all items in order, with the hasMore and total of the last page", async () => {
    const { transport } = holding(333);
    const run = await runCli(["sessions", "list", "--limit", "250", "--json"], { env, transport });
    const body: { items: { id: string }[]; hasMore: boolean; total: number } = JSON.parse(run.out);
    expect(body.items.map((item) => item.id)).toEqual(Array.from({ length: 250 }, (_, at) => `sess_${at}`));
    expect([body.hasMore, body.total]).toEqual([true, 333]);
  });

  test("says that nothing follows once everything came", async () => {
    const { transport } = holding(200);
    const run = await runCli(["insights", "list", "--all", "--json", "--jq", "[.hasMore,.total]"], {
      env,
      transport: script({ body: pageOf([INSIGHT], 2, true) }, { body: { ...pageOf([INSIGHT], 2), asOf: 5 } })
        .transport,
    });
    expect(run.out).toBe("[false,2]\n");
    expect(
      (await runCli(["sessions", "list", "--all", "--format", "ndjson"], { env, transport })).out,
    ).toMatch(/^(\{.*\}\n){200}$/);
  });

  test("keeps what else the last page says", async () => {
    const run = await list(["--all", "--json"], [{ body: { ...pageOf([SESSION]), asOf: 5 } }]);
    expect(JSON.parse(run.out)).toEqual({ ...pageOf([SESSION]), asOf: 5 });
  });

  test("of a list that grew meanwhile tells the newest total", async () => {
    const replies = [{ body: pageOf([SESSION], 2, true) }, { body: pageOf([SESSION, SESSION], 3) }];
    const run = await list(["--all", "--json"], replies);
    expect(JSON.parse(run.out)).toMatchObject({ total: 3, hasMore: false, items: [{}, {}, {}] });
  });
});

describe("a service whose pages are not what they say", () => {
  test("ends where hasMore is false, whatever the total says", async () => {
    const run = await list(["--all", "--json"], [{ body: pageOf([SESSION], 999) }]);
    expect([run.code, JSON.parse(run.out).items.length]).toEqual([0, 1]);
  });

  test("goes on where hasMore is true, whatever the total says", async () => {
    const replies = [{ body: pageOf([SESSION], 0, true) }, { body: pageOf([SESSION], 0) }];
    const run = await list(["--all", "--json"], replies);
    expect([run.code, JSON.parse(run.out).items.length]).toEqual([0, 2]);
  });

  test("breaks the contract with an empty page that says there is more", async () => {
    const run = await list(["--all"], [{ body: pageOf([SESSION], 9, true) }, { body: pageOf([], 9, true) }]);
    expect([run.code, run.out]).toEqual([53, ""]);
    expect(run.err).toMatch(/^error: The service says there is more after item 1 but sends nothing\nhint: /);
  });
});

describe("the pace", () => {
  /** The time of each request of a walk over so many pages. */
  async function times(pages: number) {
    const clock = { now: NOW };
    const at: number[] = [];
    const { transport } = holding(pages * 100);
    const run = await runCli(["sessions", "list", "--all", "--json"], {
      env,
      clock,
      transport: (request) => {
        at.push(clock.now - NOW);
        return transport(request);
      },
    });
    return { at, run };
  }

  test("of a walk that fits into a minute's limit is not held back", async () => {
    expect((await times(55)).at).toEqual(Array.from({ length: 55 }, () => 0));
  });

  test("of a long walk keeps every minute below 60 requests, without needless waits", async () => {
    const { at, run } = await times(130);
    expect(run.code).toBe(0);
    expect(at).toHaveLength(130);
    for (const start of at) {
      expect(at.filter((time) => time >= start && time < start + 60_000).length).toBeLessThan(60);
    }
    expect(at.at(-1)).toBe(120_000);
  });
});

describe("progress", () => {
  test("tells pages and items at a terminal, and nothing in a pipe or to a screen reader", async () => {
    const run = (tty: boolean, flags: string[] = []) =>
      runCli(["sessions", "list", "--all", ...flags], { env, transport: holding(250).transport, tty });
    expect((await run(true)).progress).toContain("Page 1 of 3: 100 of 250");
    expect((await run(true, ["--plain"])).progress).toBe("");
    const piped = await run(false);
    expect([piped.progress, piped.err]).toEqual(["", ""]);
  });

  test.each([
    [250, Number.POSITIVE_INFINITY, 0, ["1/3", "2/3", "3/3"]],
    [250, 120, 0, ["1/2", "2/2"]],
    [250, Number.POSITIVE_INFINITY, 240, ["1/1"]],
    [0, Number.POSITIVE_INFINITY, 0, ["1/1"]],
  ])("of %i items, %d wanted from %i on", async (total, items, offset, told) => {
    const steps: string[] = [];
    const fetchPage = async (range: { limit: number; offset: number }) => {
      const count = Math.max(0, Math.min(range.limit, total - range.offset));
      return { ...pageOf([], total, range.offset + count < total), items: Array.from({ length: count }) };
    };
    const pacer = { before: async () => {} };
    for await (const { number, of } of paginateByOffset(fetchPage, { offset, items }, pacer))
      steps.push(`${number}/${of}`);
    expect(steps).toEqual(told);
  });
});
