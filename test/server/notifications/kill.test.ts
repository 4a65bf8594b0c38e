/** Real servers that are killed between storing an event and its delivery: the next one delivers it. */
import { afterEach, expect, it } from "vitest";
import { resolveDatabase } from "../../engine.ts";
import { freshFolder, runCli } from "../../harness.ts";
import { type Receiver, startReceiver, status } from "../../webhooks/receiver.ts";
import { databaseIn, end, endAll, serve } from "../real-server.ts";

const receivers: Receiver[] = [];
afterEach(async () => {
  await endAll();
  for (const receiver of receivers.splice(0)) await receiver.close();
});

it("a killed server leaves its events to the next one, with the same ids", async () => {
  const folder = freshFolder();
  const receiver = await startReceiver();
  receivers.push(receiver);
  const first = await serve(folder, "first");
  const database = await resolveDatabase(databaseIn(folder));
  const words = ["webhooks", "add", receiver.url, "--on", "bug-report,session.analyzed"];
  const added = await runCli(["admin", ...words, "--database", database, "--json"], {
    clock: { now: Date.now() },
  });
  expect([added.code, added.err]).toEqual([0, ""]);
  // The receiver has read the request, but does not answer before the kill.
  receiver.reply(() => {});
  const headers = { authorization: `Bearer ${first.ingestKey}`, "content-type": "application/json" };
  const post = async (path: string, body: object) => {
    const answer = await fetch(first.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    expect(answer.status).toBeLessThan(300);
  };
  const report = { gameId: "maze", title: "t", description: "d" };
  for (const idempotencyKey of ["k1", "k2", "k3"])
    await post("/api/telemetry/bug-report", { ...report, idempotencyKey });
  await post("/api/telemetry", { gameId: "maze", clientSessionId: "one", events: [], sessionEnded: true });
  await receiver.waitFor(1);
  await end(first.process, "SIGKILL");
  receiver.reply(status(204));
  const before = receiver.requests.length;
  await serve(folder, "second");
  await receiver.waitFor(before + 4);
  const delivered = receiver.requests.slice(before);
  expect(delivered.map(({ json }) => json.type).sort()).toEqual([
    "bug-report",
    "bug-report",
    "bug-report",
    "session.analyzed",
  ]);
  const ids = delivered.map(({ headers: sent }) => sent["webhook-id"]);
  expect(new Set(ids).size).toBe(4);
  expect(ids).toContain(receiver.requests[0]?.headers["webhook-id"]);
});
