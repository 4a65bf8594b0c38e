/** Testers without a device in lists, and the range of the last session. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { NOW, runCli, startTestService, type TestService } from "../harness.ts";
import { createEvents, sendTelemetry } from "../server/telemetry-helpers.ts";

const DEVICE = "install_0123456789abcdef0123456789abcdef";
let service: TestService;
let session: string;

beforeAll(async () => {
  let next = 0;
  const newId = (kind: string) => `${kind}_${String(next++).padStart(8, "0")}${"f".repeat(16)}`;
  service = await startTestService({ dependencies: { newId } });
  await service.addGame("ember");
  const play = { gameId: "ember", events: createEvents(["jump"], NOW - 60_000) };
  session = await sendTelemetry(service, { ...play, clientSessionId: "alone" });
  await sendTelemetry(service, { ...play, clientSessionId: "a", deviceId: DEVICE });
});
afterAll(() => service.stop());

const run = (line: string) => runCli([...line.split(" "), "--game", "ember"], { service });

test("the short id of a tester without a device opens the tester and the journey", async () => {
  const { out } = await run("testers list");
  const short = /^sess_\S+/m.exec(out)?.[0] ?? "";
  expect([short.length < session.length, session.startsWith(short)]).toEqual([true, true]);
  expect(out).toContain(DEVICE);
  const tester = await run(`testers get ${short} --json`);
  expect(JSON.parse(tester.out).sessions[0].id).toBe(session);
  const journey = await run(`testers journey ${short} --json`);
  expect(JSON.parse(journey.out).journey.totalSessions).toBe(1);
});

test("a range of the last session that ends before it starts is an error", async () => {
  const { code, err } = await run("testers list --last-seen-after 7d --last-seen-before 14d");
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/--last-seen-after \S+Z is not before --last-seen-before /),
  ]);
});
