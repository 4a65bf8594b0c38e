/** `admin budgets`: what was used of the budgets of a day, and their limits. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { hashKey } from "../../src/server/accounts/keys.ts";
import { NOW, runCli, startFileService, type TestService } from "../harness.ts";

let service: TestService;
let database: string;
let keyId: string;
beforeEach(async () => {
  ({ service, database } = await startFileService());
  keyId = hashKey(service.keys.ingest).slice(0, 12);
  await service.addGame("ember");
});
afterEach(() => service.stop());

const budgets = (...argv: string[]) =>
  runCli(["admin", "budgets", ...argv, "--database", database], { clock: service.clock });
const list = async (...argv: string[]) => JSON.parse((await budgets("list", "--json", ...argv)).out).budgets;
const play = async (events: number) =>
  await service.post("/api/telemetry", {
    gameId: "ember",
    deviceId: "d",
    events: Array.from({ length: events }, (_, at) => ({ id: `e${at}`, name: "jump", timestamp: NOW })),
  });

it("lists what was used, by game and key, with limits and shares", async () => {
  expect(await list()).toEqual([]);
  expect((await budgets("list")).err).toContain("No budget was used on this day.");
  await play(3);
  await service.service.budgets.drain();
  const used = await list();
  const events = { budget: "events", used: 3, limit: 60_000_000, isSet: false };
  expect(used).toContainEqual({ scope: "game", name: "ember", ...events });
  expect(used).toContainEqual({ scope: "key", name: keyId, ...events });
  expect((await budgets("list")).out).toContain("60000000");
  expect(await list("--day", new Date(NOW - 86_400_000).toISOString().slice(0, 10))).toEqual([]);
  expect(await list("--day", new Date(NOW).toISOString().slice(0, 10))).toEqual(used);
});

it("sets limits of games, keys and the account, which a server applies", async () => {
  expect((await budgets("set", "events", "10", "--game", "ember")).code).toBe(0);
  expect((await play(2)).status).toBe(429);
  expect((await budgets("set", "new-devices", "none", "--key", keyId)).code).toBe(0);
  expect((await budgets("set", "model-calls", "2000")).code).toBe(0);
  expect(await list()).toEqual([
    { scope: "account", name: service.accountId, budget: "model-calls", used: 0, limit: 2000, isSet: true },
    { scope: "game", name: "ember", budget: "events", used: 0, limit: 10, isSet: true },
    { scope: "key", name: keyId, budget: "new-devices", used: 0, limit: null, isSet: true },
  ]);
  expect((await budgets("set", "events", "default", "--game", "ember")).code).toBe(0);
  expect((await list()).map(({ budget }: { budget: string }) => budget)).toEqual([
    "model-calls",
    "new-devices",
  ]);
  const audit = JSON.parse((await runCli(["admin", "audit", "list", "--json", "--database", database])).out);
  expect(JSON.stringify(audit)).toContain("budgets.set");
});

it("refuses unknown budgets, limits and keys", async () => {
  for (const [argv, code, message] of [
    [["set", "evnts", "1", "--game", "ember"], 2, 'Unknown budget "evnts"'],
    [["set", "events", "-1", "--game", "ember"], 2, ""],
    [["set", "events", "1.5", "--game", "ember"], 2, 'Invalid limit "1.5"'],
    [["set", "events", "1"], 2, "No game specified"],
    [["set", "model-calls", "1", "--key", keyId], 2, "--key cannot be used with model-calls"],
    [["set", "events", "1", "--key", "000000000000"], 44, 'No ingest key "000000000000"'],
  ] as const) {
    const run = await budgets(...argv);
    expect([run.code, run.err]).toEqual([code, expect.stringContaining(message)]);
  }
});
