/** 70 forged sessions with the key of a game change what a gate reads. A quarantine of their address takes them out again. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { NOW, runCli, send, startFileService, type TestService } from "../harness.ts";
import { readAllResponses } from "../server/telemetry-helpers.ts";

let service: TestService;
let database: string;
beforeEach(async () => {
  ({ service, database } = await startFileService());
  await service.addGame("ember");
});
afterEach(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

const ATTACKER = "2001:db8:1:2::";

/** Plays one session, and returns its id. */
async function play(device: string, build: string, address: string, more: object = {}): Promise<string> {
  const headers = { authorization: `Bearer ${service.keys.ingest}`, "content-type": "application/json" };
  const events = ["fail", "fail", "fail", "finish"].map((name, at) => ({
    ...{ id: `e${at}`, name, timestamp: NOW + at * 1000, data: { room: "hall", x: at, y: at } },
  }));
  const body = JSON.stringify({
    ...{ gameId: "ember", deviceId: device, clientSessionId: device, sessionEnded: true, events },
    ...{ sessionMetadata: { gameVersion: build }, ...more },
  });
  const answer = await send(service.app, "/api/telemetry", { method: "POST", headers, body }, address);
  expect(answer.status).toBe(202);
  return answer.json.sessionId as string;
}

async function readAnswers() {
  await service.compaction.drain();
  await service.analysis.drain();
  return await readAllResponses(service);
}

const quarantine = (...argv: string[]) =>
  runCli(["admin", "quarantine", ...argv, "--game", "ember", "--database", database, "--json"], {
    clock: service.clock,
  });

it("removes what an attacker sent from one address, and only that", async () => {
  for (let at = 0; at < 12; at += 1)
    await play(`honest${at}`, at % 2 === 0 ? "0.8.0" : "0.9.0", `203.0.113.${at}`);
  const before = await readAnswers();
  let forged = "";
  for (let at = 0; at < 70; at += 1) {
    service.clock.now += 1000;
    // Another address of the same network each time.
    forged = await play(`bot${at}`, at % 7 === 0 ? "0.8.9" : "0.8.0", `${ATTACKER}${at + 1}`, {
      testerHandle: `tester${at}`,
      startedAt: NOW - 86_400_000,
    });
  }
  const attacked = await readAnswers();
  expect(attacked).not.toEqual(before);
  const dry = await quarantine("--address-of", forged, "--dry-run");
  expect(JSON.parse(dry.out)).toMatchObject({ dryRun: true, sessions: 70 });
  expect(await readAnswers()).toEqual(attacked);
  const run = await quarantine("--address-of", forged, "--yes");
  expect([run.err, run.code, JSON.parse(run.out).sessions]).toEqual(["", 0, 70]);
  // What the attacker still sends for these sessions stays out.
  for (let at = 0; at < 5; at += 1) await play(`bot${at}`, "0.8.0", `${ATTACKER}ffff`);
  expect(await readAnswers()).toEqual(before);
});
