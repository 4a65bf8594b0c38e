/** Lists of many pages: one document, written as it comes where the format allows, at a pace the service takes. */
import { describe, expect, test } from "vitest";
import { SESSION } from "../client/answers.ts";
import { type Given, type Script, script } from "../client/script.ts";
import { runCli } from "../harness.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k" };
const TOTAL = 10_000;

/** A service of so many sessions, which answers the pages asked for and tells how many sessions it sent. */
function serviceOf(total: number, fault?: (offset: number) => Given | null): Script & { sent: () => number } {
  let sent = 0;
  const made = script(({ url }) => {
    const { searchParams } = new URL(url);
    const offset = Number(searchParams.get("offset") ?? 0);
    const failed = fault?.(offset);
    if (failed) return failed;
    const until = Math.min(total, offset + Number(searchParams.get("limit") ?? 20));
    const items = Array.from({ length: until - offset }, (_, at) => ({
      ...SESSION,
      id: `sess_${offset + at}`,
    }));
    sent += items.length;
    return { body: { items, hasMore: until < total, total } };
  });
  return { ...made, sent: () => sent };
}

const linesIn = (text: string) => text.split("\n").length - 1;

describe("--all", () => {
  test.each([
    ["ndjson", 0],
    ["csv", 1],
    ["tsv", 1],
  ])("as %s holds no more than a page that is not yet written", async (format, headers) => {
    const service = serviceOf(TOTAL);
    let written = -headers;
    let most = 0;
    const run = await runCli(["sessions", "list", "--all", "--format", format], {
      env,
      transport: async (request) => {
        const answer = await service.transport(request);
        most = Math.max(most, service.sent() - written);
        return answer;
      },
      onOut: (text) => {
        written += linesIn(text);
      },
    });
    expect([run.code, run.err, written]).toEqual([0, "", TOTAL]);
    expect(most).toBeLessThanOrEqual(200);
    const first = run.out.split("\n")[headers] ?? "";
    expect(first).toContain("sess_0");
    expect(new Set(run.out.match(/sess_\d+/g)).size).toBe(TOTAL);
  });

  test("as JSON is one document", async () => {
    const { transport } = serviceOf(250);
    const run = await runCli(["sessions", "list", "--all", "--json"], { env, transport });
    const body = JSON.parse(run.out);
    expect([body.items.length, body.hasMore, body.total]).toEqual([250, false, 250]);
  });

  test("of nothing is the header alone, and no line of ndjson", async () => {
    const { transport } = serviceOf(0);
    const csv = await runCli(["sessions", "list", "--all", "--format", "csv"], { env, transport });
    expect([csv.code, linesIn(csv.out)]).toEqual([0, 1]);
    const ndjson = await runCli(["sessions", "list", "--all", "--format", "ndjson"], { env, transport });
    expect([ndjson.code, ndjson.out]).toEqual([0, ""]);
  });

  test("that breaks off keeps whole lines, and says so by its exit code", async () => {
    const service = serviceOf(TOTAL, (offset) =>
      offset >= 300 ? { status: 400, body: { error: "No further" } } : null,
    );
    const run = await runCli(["sessions", "list", "--all", "--format", "ndjson"], { env, ...service });
    expect([run.code, linesIn(run.out)]).toEqual([40, 300]);
    for (const line of run.out.trimEnd().split("\n")) JSON.parse(line);
  });

  test("stays below the limit of requests a minute", async () => {
    const { transport, requests } = serviceOf(TOTAL);
    const clock = { now: 1_772_000_000_000 };
    const times: number[] = [];
    const run = await runCli(["sessions", "list", "--all", "--format", "ndjson"], {
      env,
      clock,
      transport: async (request) => {
        times.push(clock.now);
        return await transport(request);
      },
    });
    expect([run.code, requests.length]).toEqual([0, TOTAL / 100]);
    for (const time of times) {
      const within = times.filter((other) => other >= time && other < time + 60_000).length;
      expect(within).toBeLessThanOrEqual(60);
    }
  });

  test("and --limit exclude each other", async () => {
    const { transport, requests } = serviceOf(1);
    const run = await runCli(["insights", "list", "--all", "--limit", "5"], { env, transport });
    expect([run.code, run.err, requests.length]).toEqual([
      2,
      "error: --limit 5 and --all exclude each other\nhint: Leave one of them out.\n",
      0,
    ]);
  });
});

test("an offset beyond the end says so, not that nothing matches", async () => {
  const { transport } = script({ body: { items: [], hasMore: false, total: 7 } });
  const run = await runCli(["sessions", "list", "--offset", "50"], { env, transport });
  expect([run.code, run.out, run.err]).toEqual([0, "", "Nothing after item 50: there are 7.\n"]);
});
