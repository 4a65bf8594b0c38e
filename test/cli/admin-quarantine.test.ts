/** `admin quarantine`: which sessions it finds, what it says first, and what the audit says. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, runCli, send, startFileService, type TestService } from "../harness.ts";
import { changeSession } from "../server/telemetry-helpers.ts";

let service: TestService;
let database: string;
let folder: string;
beforeEach(async () => {
  ({ service, folder, database } = await startFileService());
  for (const slug of ["ember", "tide"]) await service.addGame(slug);
});
afterEach(() => service.stop());

async function play(device: string, { build = "1.0", address = "203.0.113.1", gameId = "ember" } = {}) {
  const body = JSON.stringify({
    ...{ gameId, deviceId: device, sessionMetadata: { gameVersion: build } },
    events: [{ id: `${device}-${service.clock.now}`, name: "jump", timestamp: NOW }],
  });
  const headers = { authorization: `Bearer ${service.keys.ingest}`, "content-type": "application/json" };
  const answer = await send(service.app, "/api/telemetry", { method: "POST", headers, body }, address);
  expect(answer.status).toBe(202);
  return answer.json.sessionId as string;
}

const admin = (...argv: string[]) =>
  runCli(["admin", ...argv, "--database", database], { home: folder, clock: service.clock });
const quarantine = (...argv: string[]) => admin("quarantine", ...argv, "--game", "ember", "--yes", "--json");
const countSessions = async () => (await service.get("/api/v1/sessions")).json.total;
const MINUTE = 60_000;

describe("admin quarantine", () => {
  it("requires a filter, a confirmation and a game", async () => {
    await play("a");
    const bare = await quarantine();
    expect([bare.code, bare.err]).toEqual([2, expect.stringContaining("--address-of")]);
    const unasked = await admin("quarantine", "--build", "1.0", "--game", "ember");
    expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining("--yes")]);
    expect((await admin("quarantine", "--build", "1.0", "--yes")).code).toBe(2);
    expect((await quarantine("release")).code).toBe(2);
    expect(await countSessions()).toBe(1);
  });

  it("says what changes in each build, also in a dry run", async () => {
    for (const device of ["a", "b", "b"]) {
      await play(device);
      service.clock.now += 1;
    }
    service.clock.now += MINUTE;
    await play("b", { build: "2.0" });
    await play("c");
    const dry = await admin("quarantine", "--device", "b", "--dry-run", "--game", "ember", "--json");
    const builds = [
      { build: "1.0", sessions: 2, testers: 1, sessionsAfter: 2, testersAfter: 2 },
      { build: "2.0", sessions: 1, testers: 1, sessionsAfter: 0, testersAfter: 0 },
    ];
    expect(JSON.parse(dry.out)).toMatchObject({ dryRun: true, sessions: 3, quarantine: null, builds });
    expect(await countSessions()).toBe(5);
    const shown = await admin("quarantine", "--device", "b", "--game", "ember", "--yes");
    expect(shown.out).toMatch(/BUILD .*SESSIONS AFTER/);
    expect(shown.out).toMatch(
      /Quarantined 3 sessions of 2 builds\. Run `playtest admin quarantine release qua_\w+ --game ember/,
    );
    expect(await countSessions()).toBe(2);
    const again = await quarantine("--device", "b");
    expect([again.code, JSON.parse(again.out).sessions]).toEqual([0, 0]);
  });

  it("finds sessions by the time of receipt, which a client cannot choose", async () => {
    await play("a");
    service.clock.now += 10 * MINUTE;
    const from = new Date(service.clock.now).toISOString();
    await play("b");
    await play("c", { gameId: "tide" });
    const to = new Date(service.clock.now).toISOString();
    service.clock.now += 1;
    await play("d");
    expect(JSON.parse((await quarantine("--from", from, "--to", to)).out).sessions).toBe(1);
    const { items } = (await service.get("/api/v1/sessions")).json;
    expect(items.map(({ deviceId }: { deviceId: string }) => deviceId).sort()).toEqual(["a", "c", "d"]);
  });

  it("finds sessions by the address of one, also of a quarantined one, but not of another day", async () => {
    const first = await play("a");
    await play("b");
    await play("c", { address: "203.0.113.2" });
    expect(JSON.parse((await quarantine("--address-of", first)).out).sessions).toBe(2);
    await play("d");
    expect(JSON.parse((await quarantine("--address-of", first)).out).sessions).toBe(1);
    service.clock.now += 24 * 60 * MINUTE;
    await play("e");
    expect(JSON.parse((await quarantine("--address-of", first)).out).sessions).toBe(0);
    const unknown = await quarantine("--address-of", "sess_ffffffffffffffffffffffff");
    expect(unknown.code).toBe(44);
    const imported = await play("f");
    await changeSession(service, imported, { address_hash: null });
    const failed = await quarantine("--address-of", imported);
    expect([failed.code, failed.err]).toEqual([2, expect.stringContaining("No address is known")]);
    const elsewhere = await play("g", { gameId: "tide" });
    expect((await quarantine("--address-of", elsewhere)).code).toBe(44);
  });

  it("lists quarantines, and releases one or what matches", async () => {
    expect((await admin("quarantine", "list")).err).toContain("No sessions are in quarantine.");
    for (const device of ["a", "b", "c"]) await play(device);
    const first = JSON.parse((await quarantine("--device", "a")).out).quarantine;
    service.clock.now += MINUTE;
    const second = JSON.parse((await quarantine("--from", new Date(NOW).toISOString())).out).quarantine;
    const list = async () => JSON.parse((await admin("quarantine", "list", "--json")).out).quarantines;
    expect(await list()).toMatchObject([
      { id: second, game: "ember", sessions: 2, testers: 2, builds: 1, at: NOW + MINUTE },
      { id: first, game: "ember", sessions: 1, testers: 1, builds: 1, at: NOW },
    ]);
    expect(await countSessions()).toBe(0);
    const dry = await quarantine("release", second, "--dry-run");
    expect(JSON.parse(dry.out)).toMatchObject({
      sessions: 2,
      builds: [{ sessionsAfter: 2, testersAfter: 2 }],
    });
    expect(JSON.parse((await quarantine("release", second, "--device", "b")).out).sessions).toBe(1);
    expect(await countSessions()).toBe(1);
    expect(JSON.parse((await quarantine("release", "--build", "1.0")).out).sessions).toBe(2);
    expect([await countSessions(), await list()]).toEqual([3, []]);
    const gone = await quarantine("release", first);
    expect([gone.code, gone.err]).toEqual([44, expect.stringContaining(first)]);
  });

  it("is in the audit, with testers and sessions as hashes", async () => {
    const session = await play("secret-device");
    const { quarantine: id } = JSON.parse(
      (await quarantine("--device", "secret-device", "--address-of", session)).out,
    );
    service.clock.now += 1;
    await quarantine("release", id);
    const { out } = await admin("audit", "list", "--action", "quarantine", "--json");
    expect(JSON.parse(out).items).toMatchObject([
      { action: "quarantine.release", target: id, detail: { sessions: 1 } },
      { action: "quarantine", target: id, detail: { sessions: 1, device: expect.stringMatching(/^hash_/) } },
    ]);
    expect(out).not.toContain("secret-device");
    expect(out).not.toContain(session);
    await quarantine("--device", "nobody");
    await quarantine("--device", "secret-device", "--dry-run");
    expect(JSON.parse((await admin("audit", "list", "--action", "quarantine", "--json")).out).total).toBe(2);
  });
});
