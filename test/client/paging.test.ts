/** Pagination by offset: requests, the combined document, pacing and progress. */
import { describe, expect, test } from "vitest";
import { paginateByOffset } from "../../src/client/paging.ts";
import type { TransportRequest } from "../../src/client/transport.ts";
import { NOW, runCli } from "../harness.ts";
import { createPage, INSIGHT, SESSION } from "./response-fixtures.ts";
import { type ScriptedReply, script } from "./script.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k" };

const getParameter = ({ url }: TransportRequest, name: string) => Number(new URL(url).searchParams.get(name));

/** A scripted service with `total` sessions. */
function scriptSessions(total: number) {
  return script((request) => {
    const [offset, limit] = [getParameter(request, "offset"), getParameter(request, "limit")];
    const count = Math.max(0, Math.min(limit, total - offset));
    const items = Array.from({ length: count }, (_, index) => ({ ...SESSION, id: `sess_${offset + index}` }));
    return { body: createPage(items, total, offset + count < total) };
  });
}

const list = (flags: string[], replies: ScriptedReply[]) =>
  runCli(["sessions", "list", ...flags], { env, transport: script(...replies).transport });

describe("requests", () => {
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
  ])("with flags %j have the right ranges", async (flags, ranges) => {
    const { transport, requests } = scriptSessions(333);
    await runCli(["sessions", "list", ...flags], { env, transport });
    expect(
      requests.map((request) => [getParameter(request, "limit"), getParameter(request, "offset")]),
    ).toEqual(ranges);
  });
});

describe("the combined document", () => {
  test("has all items in order, with hasMore and total of the last page", async () => {
    const { transport } = scriptSessions(333);
    const run = await runCli(["sessions", "list", "--limit", "250", "--json"], { env, transport });
    const body: { items: { id: string }[]; hasMore: boolean; total: number } = JSON.parse(run.out);
    expect(body.items.map((item) => item.id)).toEqual(Array.from({ length: 250 }, (_, at) => `sess_${at}`));
    expect([body.hasMore, body.total]).toEqual([true, 333]);
  });

  test("has hasMore false when all items are read", async () => {
    const { transport } = scriptSessions(200);
    const run = await runCli(["insights", "list", "--all", "--json", "--jq", "[.hasMore,.total]"], {
      env,
      transport: script(
        { body: createPage([INSIGHT], 2, true) },
        { body: { ...createPage([INSIGHT], 2), asOf: 5 } },
      ).transport,
    });
    expect(run.out).toBe("[false,2]\n");
    expect(
      (await runCli(["sessions", "list", "--all", "--format", "ndjson"], { env, transport })).out,
    ).toMatch(/^(\{.*\}\n){200}$/);
  });

  test("keeps other fields of the last page", async () => {
    const run = await list(["--all", "--json"], [{ body: { ...createPage([SESSION]), asOf: 5 } }]);
    expect(JSON.parse(run.out)).toEqual({ ...createPage([SESSION]), asOf: 5 });
  });

  test("has the newest total if the list grew meanwhile", async () => {
    const replies = [{ body: createPage([SESSION], 2, true) }, { body: createPage([SESSION, SESSION], 3) }];
    const run = await list(["--all", "--json"], replies);
    expect(JSON.parse(run.out)).toMatchObject({ total: 3, hasMore: false, items: [{}, {}, {}] });
  });
});

describe("inconsistent pages", () => {
  test("end when hasMore is false, regardless of the total", async () => {
    const run = await list(["--all", "--json"], [{ body: createPage([SESSION], 999) }]);
    expect([run.code, JSON.parse(run.out).items.length]).toEqual([0, 1]);
  });

  test("continue when hasMore is true, regardless of the total", async () => {
    const replies = [{ body: createPage([SESSION], 0, true) }, { body: createPage([SESSION], 0) }];
    const run = await list(["--all", "--json"], replies);
    expect([run.code, JSON.parse(run.out).items.length]).toEqual([0, 2]);
  });

  test("break the contract if a page is empty but hasMore is true", async () => {
    const run = await list(
      ["--all"],
      [{ body: createPage([SESSION], 9, true) }, { body: createPage([], 9, true) }],
    );
    expect([run.code, run.out]).toEqual([53, ""]);
    expect(run.err).toMatch(/^error: The service reports more items after item 1 but returns none\nhint: /);
  });
});

describe("pacing", () => {
  /** Reads this many pages and records the time of each request. */
  async function recordTimes(pages: number) {
    const clock = { now: NOW };
    const at: number[] = [];
    const { transport } = scriptSessions(pages * 100);
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

  test("does not delay a list that fits into one minute", async () => {
    expect((await recordTimes(55)).at).toEqual(Array.from({ length: 55 }, () => 0));
  });

  test("keeps every minute of a long list below 60 requests without unnecessary waits", async () => {
    const { at, run } = await recordTimes(130);
    expect(run.code).toBe(0);
    expect(at).toHaveLength(130);
    for (const start of at) {
      expect(at.filter((time) => time >= start && time < start + 60_000).length).toBeLessThan(60);
    }
    expect(at.at(-1)).toBe(120_000);
  });
});

describe("progress", () => {
  test("is shown at a terminal, but not in a pipe or with --plain", async () => {
    const run = (tty: boolean, flags: string[] = []) =>
      runCli(["sessions", "list", "--all", ...flags], { env, transport: scriptSessions(250).transport, tty });
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
  ])(
    "counts the pages of %i items when reading %d from offset %i",
    async (total, items, offset, expected) => {
      const steps: string[] = [];
      const fetchPage = async (range: { limit: number; offset: number }) => {
        const count = Math.max(0, Math.min(range.limit, total - range.offset));
        return {
          ...createPage([], total, range.offset + count < total),
          items: Array.from({ length: count }),
        };
      };
      const pacer = { before: async () => {} };
      for await (const { number, of } of paginateByOffset(fetchPage, { offset, items }, pacer))
        steps.push(`${number}/${of}`);
      expect(steps).toEqual(expected);
    },
  );
});
