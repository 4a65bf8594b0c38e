/** Lists of many pages: streaming, memory and pacing. */
import { describe, expect, test } from "vitest";
import { SESSION } from "../client/response-fixtures.ts";
import { type Script, type ScriptedReply, script } from "../client/script.ts";
import { runCli } from "../harness.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k" };
const TOTAL = 10_000;

/** A scripted service with this many sessions, which counts the sessions that it sent. */
function scriptSessions(
  total: number,
  failAt?: (offset: number) => ScriptedReply | null,
): Script & { sent: () => number } {
  let sent = 0;
  const scripted = script(({ url }) => {
    const { searchParams } = new URL(url);
    const offset = Number(searchParams.get("offset") ?? 0);
    const failure = failAt?.(offset);
    if (failure) return failure;
    const end = Math.min(total, offset + Number(searchParams.get("limit") ?? 20));
    const items = Array.from({ length: end - offset }, (_, index) => ({
      ...SESSION,
      id: `sess_${offset + index}`,
    }));
    sent += items.length;
    return { body: { items, hasMore: end < total, total } };
  });
  return { ...scripted, sent: () => sent };
}

const countLines = (text: string) => text.split("\n").length - 1;

describe("--all", () => {
  test.each([
    ["ndjson", 0],
    ["csv", 1],
    ["tsv", 1],
  ])("as %s buffers at most one page", async (format, headers) => {
    const service = scriptSessions(TOTAL);
    let written = -headers;
    let maxBuffered = 0;
    const run = await runCli(["sessions", "list", "--all", "--format", format], {
      env,
      transport: async (request) => {
        const response = await service.transport(request);
        maxBuffered = Math.max(maxBuffered, service.sent() - written);
        return response;
      },
      onOut: (text) => {
        written += countLines(text);
      },
    });
    expect([run.code, run.err, written]).toEqual([0, "", TOTAL]);
    expect(maxBuffered).toBeLessThanOrEqual(200);
    const first = run.out.split("\n")[headers] ?? "";
    expect(first).toContain("sess_0");
    expect(new Set(run.out.match(/sess_\d+/g)).size).toBe(TOTAL);
  });

  test("as JSON prints one document", async () => {
    const { transport } = scriptSessions(250);
    const run = await runCli(["sessions", "list", "--all", "--json"], { env, transport });
    const body = JSON.parse(run.out);
    expect([body.items.length, body.hasMore, body.total]).toEqual([250, false, 250]);
  });

  test("of an empty list prints only the header, and nothing in ndjson", async () => {
    const { transport } = scriptSessions(0);
    const csv = await runCli(["sessions", "list", "--all", "--format", "csv"], { env, transport });
    expect([csv.code, countLines(csv.out)]).toEqual([0, 1]);
    const ndjson = await runCli(["sessions", "list", "--all", "--format", "ndjson"], { env, transport });
    expect([ndjson.code, ndjson.out]).toEqual([0, ""]);
  });

  test("prints only complete lines before an error", async () => {
    const service = scriptSessions(TOTAL, (offset) =>
      offset >= 300 ? { status: 400, body: { error: "No further" } } : null,
    );
    const run = await runCli(["sessions", "list", "--all", "--format", "ndjson"], { env, ...service });
    expect([run.code, countLines(run.out)]).toEqual([40, 300]);
    for (const line of run.out.trimEnd().split("\n")) JSON.parse(line);
  });

  test("stays below the rate limit", async () => {
    const { transport, requests } = scriptSessions(TOTAL);
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

  test("cannot be used with --limit", async () => {
    const { transport, requests } = scriptSessions(1);
    const run = await runCli(["insights", "list", "--all", "--limit", "5"], { env, transport });
    expect([run.code, run.err, requests.length]).toEqual([
      2,
      "error: --limit 5 cannot be used with --all\nhint: Omit one of them.\n",
      0,
    ]);
  });
});

test("an offset beyond the end is reported as such", async () => {
  const { transport } = script({ body: { items: [], hasMore: false, total: 7 } });
  const run = await runCli(["sessions", "list", "--offset", "50"], { env, transport });
  expect([run.code, run.out, run.err]).toEqual([0, "", "No results at offset 50 (total: 7).\n"]);
});
