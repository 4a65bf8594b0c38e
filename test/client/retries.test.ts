/** Retries of the client: when it retries, how long it waits, and when it stops. */

import { describe, expect, test } from "vitest";
import { fail } from "../../src/cli/errors.ts";
import { type ClientOptions, callEndpoint } from "../../src/client/client.ts";
import { ClientError, type ClientErrorCode } from "../../src/client/errors.ts";
import type { Transport } from "../../src/client/transport.ts";
import type { Endpoint } from "../../src/contract/define.ts";
import { getGame, listGames } from "../../src/contract/games.ts";
import { sendTelemetry } from "../../src/contract/telemetry.ts";
import { runCli } from "../harness.ts";
import fc from "../property.ts";
import { responseBodies } from "./response-fixtures.ts";
import { type ReplySource, rateLimited, script } from "./script.ts";

const SUCCESS = { body: responseBodies.listGames };
const networkFault = new ClientError("network", "cut");

interface Outcome {
  readonly response?: unknown;
  readonly code?: ClientErrorCode;
  readonly waits: number[];
  readonly notices: string[];
  readonly sent: number;
}

/** Calls an endpoint with scripted replies and records the waits. */
async function call(
  replies: ReplySource[],
  options: Partial<ClientOptions> & { endpoint?: Endpoint; input?: Record<string, unknown> } = {},
): Promise<Outcome> {
  const { endpoint = listGames, input = {}, ...rest } = options;
  const { transport, requests } = script(...replies);
  const waits: number[] = [];
  const notices: string[] = [];
  const waiting = {
    sleep: async (ms: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      waits.push(ms);
    },
    random: () => 0.5,
    onWait: (reason: string, ms: number) => void notices.push(`${reason} ${ms}`),
  };
  const client: ClientOptions = {
    baseUrl: "http://127.0.0.1:1",
    key: "k",
    transport,
    waiting,
    timeoutMs: 1000,
    maxWaitMs: 120_000,
    ...rest,
  };
  try {
    return { response: await callEndpoint(endpoint, input, client), waits, notices, sent: requests.length };
  } catch (error) {
    return { code: (error as { code: ClientErrorCode }).code, waits, notices, sent: requests.length };
  }
}

describe("Retry-After", () => {
  const reply = (status: number, after: string, more: object = {}, date?: string) => ({
    ...{ status, headers: { "retry-after": after, ...(date !== undefined && { date }) } },
    body: { error: "Busy", ...more },
  });

  test.each([429, 503])("of a %i is the wait, in seconds or as a date", async (status) => {
    const at = "Wed, 01 Jul 2026 10:00:30 GMT";
    expect((await call([reply(status, "7"), SUCCESS])).waits).toEqual([7000]);
    const dated = reply(status, at, {}, "Wed, 01 Jul 2026 10:00:10 GMT");
    expect((await call([dated, SUCCESS])).waits).toEqual([20_000]);
  });

  test("counts less than retryAfterMs, and up to --max-wait", async () => {
    expect((await call([reply(429, "7", { retryAfterMs: 50 }), SUCCESS])).waits).toEqual([50]);
    expect(await call([reply(503, "600"), SUCCESS])).toMatchObject({ code: "unavailable", waits: [] });
  });

  test("is ignored if it is neither", async () => {
    expect((await call([reply(429, "soon"), SUCCESS])).waits).toEqual([1000]);
    expect((await call([reply(503, "-1"), SUCCESS])).waits).toEqual([300]);
    expect((await call([reply(503, "Wed, 01 Jul 2026 10:00:30 GMT"), SUCCESS])).waits).toEqual([300]);
  });

  test("does not repeat a 503 to a request that must not be sent twice", async () => {
    const outcome = await call([reply(503, "1"), SUCCESS], {
      ...{ endpoint: { ...sendTelemetry, idempotent: false }, input: { body: {} } },
    });
    expect(outcome).toMatchObject({ code: "unavailable", waits: [], sent: 1 });
  });
});

describe("an address of something else", () => {
  const ask = async (baseUrl: string, body: unknown) =>
    await call([{ status: 404, body }], { baseUrl, endpoint: getGame, input: { id: "ember" } });

  test("is not taken for a service without the game", async () => {
    expect((await ask("http://127.0.0.1:1", "<html>Not found</html>")).code).toBe("contract");
    expect((await ask("http://127.0.0.1:1/api/v1", { error: "Not found" })).code).toBe("contract");
    expect((await ask("http://127.0.0.1:1", { error: "Not found" })).code).toBe("not_found");
  });
});

describe("a 429", () => {
  test("is retried after exactly retryAfterMs, with a notice", async () => {
    const outcome = await call([rateLimited(1234), SUCCESS]);
    expect(outcome).toEqual({
      response: responseBodies.listGames,
      waits: [1234],
      notices: ["Rate limit exceeded 1234"],
      sent: 2,
    });
  });

  test("doubles the wait each time, up to 30 s", async () => {
    const { waits } = await call(
      [rateLimited(5000), rateLimited(1), rateLimited(1), rateLimited(1), rateLimited(1), SUCCESS],
      {
        maxWaitMs: Number.POSITIVE_INFINITY,
      },
    );
    expect(waits).toEqual([5000, 10_000, 20_000, 30_000, 30_000]);
  });

  test("is retried after retryAfterMs if that is longer, even beyond 30 s", async () => {
    const { waits } = await call([rateLimited(1000), rateLimited(45_000), SUCCESS]);
    expect(waits).toEqual([1000, 45_000]);
  });

  test("ends the call before a wait that exceeds the budget", async () => {
    const outcome = await call([rateLimited(60_000)], { maxWaitMs: 100_000 });
    expect(outcome).toMatchObject({ code: "rate_limited", waits: [60_000], sent: 2 });
  });

  test("is not retried with a budget of 0", async () => {
    expect(await call([rateLimited(1)], { maxWaitMs: 0 })).toMatchObject({
      code: "rate_limited",
      waits: [],
      sent: 1,
    });
  });

  test("with retryAfterMs 0 every time still ends", async () => {
    const outcome = await call([rateLimited(0)], { maxWaitMs: 10_000 });
    expect(outcome).toMatchObject({ code: "rate_limited", waits: [0, 1000, 2000, 4000], sent: 5 });
  });

  test.each([-5, Number.NaN, "60000", undefined, null, { ms: 5 }, Number.POSITIVE_INFINITY])(
    "with the invalid retryAfterMs %s is retried after one second",
    async (retryAfterMs) => {
      expect((await call([rateLimited(retryAfterMs), SUCCESS])).waits).toEqual([1000]);
    },
  );

  test("is retried for writes too, because nothing was written", async () => {
    const body = { gameId: "ember", events: [] };
    const { waits } = await call([rateLimited(700), { status: 202, body: responseBodies.sendTelemetry }], {
      endpoint: { ...sendTelemetry, idempotent: false },
      input: { body },
    });
    expect(waits).toEqual([700]);
  });
});

describe("a transient failure", () => {
  const unavailable = { status: 503, body: { error: "Unavailable" } };

  test.each<[string, ReplySource]>([
    ["a cut connection", networkFault],
    ["a deadline", new ClientError("timeout", "silent")],
    ["a 500", { status: 500, body: { error: "Internal error" } }],
    ["a 502 of a proxy, in HTML", { status: 502, body: "<html>Bad gateway</html>" }],
    ["a 503", unavailable],
  ])("is retried: %s", async (_name, fault) => {
    const outcome = await call([fault, SUCCESS]);
    expect(outcome).toMatchObject({ response: responseBodies.listGames, waits: [300], sent: 2 });
    expect(outcome.notices[0]).toMatch(/ 300$/);
  });

  test("is retried three times with doubled waits, then reported", async () => {
    expect(await call([networkFault])).toMatchObject({ code: "network", waits: [300, 600, 1200], sent: 4 });
  });

  test("has random waits between 0.5 and 1.5 times the backoff", async () => {
    const run = async (randomValue: number) => {
      const waits: number[] = [];
      const waiting = {
        sleep: async (ms: number) => void waits.push(ms),
        random: () => randomValue,
        onWait: () => {},
      };
      await call([networkFault], { waiting });
      return waits;
    };
    expect(await run(0)).toEqual([150, 300, 600]);
    expect(await run(0.999)).toEqual([450, 899, 1799]);
  });

  test("is not retried for endpoints that are not idempotent", async () => {
    const outcome = await call([unavailable], {
      endpoint: { ...sendTelemetry, idempotent: false },
      input: { body: { events: [] } },
    });
    expect(outcome).toMatchObject({ code: "unavailable", sent: 1, waits: [] });
  });

  test("is retried for telemetry, which is idempotent", async () => {
    const outcome = await call([unavailable, { status: 202, body: responseBodies.sendTelemetry }], {
      endpoint: sendTelemetry,
      input: { body: { gameId: "ember", events: [] } },
    });
    expect(outcome).toMatchObject({ response: responseBodies.sendTelemetry, sent: 2 });
  });

  test("and a 429 are counted separately", async () => {
    const outcome = await call([
      rateLimited(10),
      networkFault,
      networkFault,
      rateLimited(10),
      networkFault,
      SUCCESS,
    ]);
    expect(outcome.waits).toEqual([10, 300, 600, 20, 1200]);
  });

  test.each([400, 401, 403, 404, 409, 301])("does not include a %i, which is final", async (status) => {
    expect(await call([{ status, body: { error: "no" } }])).toMatchObject({ sent: 1, waits: [] });
  });
});

test("waits never exceed the budget and every call ends, for any retryAfterMs", async () => {
  const retryAfter = fc.oneof(
    fc.integer({ min: -10, max: 100_000 }),
    fc.constant(undefined),
    fc.constant("x"),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(retryAfter, { minLength: 1, maxLength: 8 }),
      fc.nat(200_000),
      async (waits, maxWaitMs) => {
        const outcome = await call(waits.map(rateLimited), { maxWaitMs });
        expect(outcome.code).toBe("rate_limited");
        expect(outcome.waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(maxWaitMs);
      },
    ),
    { numRuns: 60 },
  );
});

test("an interruption during a wait ends the call immediately", async () => {
  const controller = new AbortController();
  const transport: Transport = async () => {
    controller.abort(fail("interrupted"));
    return { status: 429, headers: {}, body: JSON.stringify({ retryAfterMs: 5 }) };
  };
  const outcome = await call([], { transport, signal: controller.signal });
  expect(outcome).toMatchObject({ code: "interrupted", waits: [] });
});

describe("the command line", () => {
  const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k" };

  test("reports each wait on stderr and waits at most two minutes", async () => {
    const { transport } = script(rateLimited(50_000));
    const run = await runCli(["games", "list"], { env, transport });
    expect(run).toMatchObject({ code: 49, out: "", waits: [50_000, 50_000] });
    expect(run.err).toMatchInlineSnapshot(`
      "Rate limit exceeded. Retrying in 50.0 s
      Rate limit exceeded. Retrying in 50.0 s
      error: Rate limit exceeded
      hint: Try again later, or allow a longer wait with --max-wait.
      "
    `);
  });

  test("takes the budget from --max-wait", async () => {
    const never = script(rateLimited(1));
    expect(
      await runCli(["games", "list", "--max-wait", "0"], { env, transport: never.transport }),
    ).toMatchObject({
      code: 49,
      waits: [],
    });
    const { transport } = script(rateLimited(50_000), rateLimited(1), SUCCESS);
    const run = await runCli(["games", "list", "--max-wait", "1h"], { env, transport });
    expect(run).toMatchObject({ code: 0, waits: [50_000, 30_000] });
  });
});
