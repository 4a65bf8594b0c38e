/** The machine's clock is set back by a day while a command waits: no wait becomes longer. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClientError } from "../../src/client/errors.ts";
import { DAY_MS, MINUTE_MS } from "../../src/shared/time-units.ts";
import { createPage, responseBodies, SESSION } from "../client/response-fixtures.ts";
import { type ReplySource, type ScriptedReply, script } from "../client/script.ts";
import {
  type Clock,
  createAppTransport,
  NOW,
  runCli,
  startTestService,
  type TestService,
} from "../harness.ts";
import { createEvents } from "../server/telemetry-helpers.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("ember");
  for (const gameVersion of ["1.0", "2.0"]) {
    const body = { gameId: "ember", sessionMetadata: { gameVersion }, sessionEnded: true };
    await service.post("/api/telemetry", { ...body, events: createEvents(["a"]) });
  }
  await service.analysis.drain();
});
afterAll(() => service.stop());

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_GAME: "ember" };

/** Runs a command against a scripted service. The clock is set back with every tenth response. */
async function runWithSteps(
  argv: readonly string[],
  reply: (url: URL, nth: number) => ScriptedReply | Error,
) {
  const clock: Clock = { now: NOW };
  const source: ReplySource = ({ url }, nth) => {
    if (nth % 10 === 9) clock.now -= DAY_MS;
    return reply(new URL(url), nth);
  };
  return await runCli(argv, { env, clock, transport: script(source).transport });
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

test("long lists are read at the same pace", async () => {
  const total = 12_000;
  const { code, waits } = await runWithSteps(
    ["sessions", "list", "--all", "--format", "ndjson"],
    ({ searchParams }) => {
      const offset = Number(searchParams.get("offset"));
      const items = Array.from({ length: 100 }, (_, n) => ({ ...SESSION, id: `sess_${offset + n}` }));
      return { body: createPage(items, total, offset + 100 < total) };
    },
  );
  expect(code).toBe(0);
  // 120 requests at 55 per minute take two minutes.
  expect(waits.length).toBeGreaterThan(0);
  expect(sum(waits)).toBeLessThanOrEqual(2 * MINUTE_MS);
});

test("an export stops waiting for a service that stays down", async () => {
  const { code, waits } = await runWithSteps(
    ["export", "sessions", "--unpaced", "--max-wait", "0"],
    ({ pathname }) =>
      pathname.endsWith("/games/ember")
        ? { body: responseBodies.getGame }
        : new ClientError("network", "gone"),
  );
  expect(code).toBe(51);
  expect(sum(waits)).toBeLessThanOrEqual(11 * MINUTE_MS);
});

const waitingCommands = [
  // One tester is not enough.
  { line: "gate 1.0 2.0 -g ember --wait 5m", stepsAt: 5, expectedCode: 11, waitMs: 5 * MINUTE_MS },
  { line: "telemetry expect boss -g ember --wait 20s", stepsAt: 3, expectedCode: 10, waitMs: 20_000 },
];

describe.each([
  ["back", -DAY_MS],
  ["forward", DAY_MS],
])("if the clock is set %s", (_, step) => {
  test.each(waitingCommands)("$line ends after its time", async ({ line, stepsAt, expectedCode, waitMs }) => {
    const clock: Clock = { now: NOW };
    const send = createAppTransport(service.app);
    let requests = 0;
    const { code, waits } = await runCli(line.split(" "), {
      service,
      clock,
      transport: async (request) => {
        requests += 1;
        if (requests === stepsAt) clock.now += step;
        return await send(request);
      },
    });
    expect([code, sum(waits)]).toEqual([expectedCode, waitMs]);
  });
});
