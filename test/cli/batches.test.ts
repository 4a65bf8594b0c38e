/** batches, handles and games prompts: tables and JSON. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createForm } from "../../src/server/feedback/forms.ts";
import {
  addPlaytestKeys,
  createBatch,
  inviteTester,
  redeemPlaytestKey,
  requirePlaytestKey,
} from "../../src/server/playtests/batches.ts";
import { claimHandle, ensureHandle, issueClaimToken } from "../../src/server/testers/handles.ts";
import { NOW, runCli, startTestService, type TestService } from "../harness.ts";
import { sendTelemetry } from "../server/telemetry-helpers.ts";

let service: TestService;
let gameId: string;
let batchId: string;
beforeEach(async () => {
  service = await startTestService();
  gameId = await service.addGame("ember", "Ember Hollow");
  const { writeDb: db } = service.service.store;
  const batch = await createBatch(db, service.service, gameId, {
    name: "Closed alpha",
    distribution_target: "steam",
    fulfillment_source: "uploaded",
    redemption_mode: "link",
    identity_mode: "email",
    instructions: "# Welcome\nPlay!",
    expires_at: null,
    shared: false,
  });
  batchId = batch.id;
  await addPlaytestKeys(db, service.service, batch, ["A", "B"]);
  await inviteTester(db, service.service, batch, "w@x.test", null);
  await redeemPlaytestKey(db, service.service, batch, await requirePlaytestKey(db, batch, "A"), {
    email: null,
    handle: "wren",
    country: "DE",
    userAgent: null,
    ip: null,
  });
  await createForm(db, service.service, gameId, {
    name: "End of session",
    fields: [{ id: "fun", label: "Fun?", kind: "rating-1-5", required: true }],
    triggerHint: "session_end",
    active: true,
  });
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const run = (argv: string[], options = {}) => runCli([...argv, "--game", "ember"], { service, ...options });

const commands = (): [string[], string, RegExp][] => [
  [["batches", "list"], "/api/v1/batches/ember", /^NAME [\s\S]*\nClosed alpha +ptb_\w+ +2 +1 +0 /],
  [
    ["batches", "get", batchId],
    `/api/v1/batches/ember/${batchId}`,
    /Batch +Closed alpha\n[\s\S]*# Welcome\n +Play!\n/,
  ],
  [
    ["batches", "keys", batchId],
    `/api/v1/batches/ember/${batchId}/keys`,
    /^ID [\s\S]*\nptk_\w+ +redeemed .* w@x\.test +wren +DE\n/,
  ],
  [
    ["batches", "invites", batchId],
    `/api/v1/batches/ember/${batchId}/invites`,
    /^EMAIL [\s\S]*\nw@x\.test +tvi_/,
  ],
  [["handles", "list"], "/api/v1/handles/ember", /^HANDLE [\s\S]*\nwren +0 /],
  [
    ["games", "prompts"],
    "/api/v1/games/ember/prompts",
    /^NAME [\s\S]*\nEnd of session +ff_\w+ +yes +session_end +0 +fun \(required, rating-1-5\)/,
  ],
];

test("each command shows a table, and the response of the service as JSON", async () => {
  for (const [argv, path, pattern] of commands()) {
    const [table, json] = [await run(argv, { tty: true, columns: 200 }), await run([...argv, "--json"])];
    expect([argv, table.code, table.out]).toEqual([argv, 0, expect.stringMatching(pattern)]);
    expect(JSON.parse(json.out)).toEqual((await service.get(path)).json);
  }
});

test("an unknown batch or game exits with code 44", async () => {
  for (const verb of ["get", "keys", "invites"]) {
    const { code, err } = await run(["batches", verb, "ptb_9"]);
    expect([code, err]).toEqual([44, expect.stringContaining("No batch ptb_9 in ember")]);
  }
  expect((await runCli(["games", "prompts", "none"], { service })).code).toBe(44);
});

describe("handles list", () => {
  const listAfterSessionsIn = async (countries: string[]) => {
    const { writeDb: write } = service.service.store;
    const handle = await ensureHandle(write, service.service, gameId, "wren");
    await claimHandle(write, NOW, gameId, await issueClaimToken(write, handle), "d1");
    for (const country of countries)
      await sendTelemetry(service, { gameId: "ember", deviceId: "d1", country });
    return await run(["handles", "list"], { tty: true, columns: 200 });
  };

  test("warns of a handle seen in three countries", async () => {
    const { out, err } = await listAfterSessionsIn(["DE", "FR", "US"]);
    expect(out).toContain("3 (shared key?)");
    expect(err).toBe("1 handle was seen in 3 or more countries. Its playtest key is probably shared.\n");
  });

  test("does not warn of a handle seen in two countries", async () => {
    const { out, err } = await listAfterSessionsIn(["DE", "FR", "FR"]);
    expect([out.includes("shared"), err]).toEqual([false, ""]);
  });
});
