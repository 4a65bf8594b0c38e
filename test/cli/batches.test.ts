/** batches, handles and games prompts: what the service answers, as people and machines see it. */
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
import { play } from "../server/play.ts";

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
  [["batches", "list"], "/api/v1/batches/ember", /^BATCH [\s\S]*\nClosed alpha +ptb_\w+ +2 +1 +0 /],
  [
    ["batches", "get", batchId],
    `/api/v1/batches/ember/${batchId}`,
    /Batch +Closed alpha\n[\s\S]*# Welcome\n +Play!\n/,
  ],
  [
    ["batches", "keys", batchId],
    `/api/v1/batches/ember/${batchId}/keys`,
    /^KEY [\s\S]*\nptk_\w+ +redeemed .* w@x\.test +wren +DE\n/,
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
    /^FORM [\s\S]*\nEnd of session +ff_\w+ +yes +session_end +0 +fun! \(rating-1-5\)/,
  ],
];

test("each command shows a table to people, and the answer itself to machines", async () => {
  for (const [argv, path, shown] of commands()) {
    const [human, machine] = [await run(argv, { tty: true, columns: 200 }), await run([...argv, "--json"])];
    expect([argv, human.code, human.out]).toEqual([argv, 0, expect.stringMatching(shown)]);
    expect(JSON.parse(machine.out)).toEqual((await service.get(path)).json);
  }
});

test("an unknown batch or game is not found", async () => {
  for (const verb of ["get", "keys", "invites"]) {
    const { code, err } = await run(["batches", verb, "ptb_0"]);
    expect([code, err]).toEqual([44, expect.stringContaining('"ptb_0"')]);
  }
  expect((await runCli(["games", "prompts", "none"], { service })).code).toBe(44);
});

describe("a handle seen in many countries", () => {
  const seen = async (countries: string[]) => {
    const { writeDb: write } = service.service.store;
    const handle = await ensureHandle(write, service.service, gameId, "wren");
    await claimHandle(write, NOW, gameId, await issueClaimToken(write, handle), "d1");
    for (const country of countries) await play(service, { gameId: "ember", deviceId: "d1", country });
    return await run(["handles", "list"], { tty: true, columns: 200 });
  };

  test("of three is told of as likely shared", async () => {
    const { out, err } = await seen(["DE", "FR", "US"]);
    expect(out).toContain("3 (shared key?)");
    expect(err).toBe("One key is likely shared: seen in 3 countries or more.\n");
  });

  test("of two is not", async () => {
    const { out, err } = await seen(["DE", "FR", "FR"]);
    expect([out.includes("shared"), err]).toEqual([false, ""]);
  });
});
