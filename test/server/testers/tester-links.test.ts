/** Tester links: claiming a handle with a token, reading the current handle, and unlinking. */
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { issueKey } from "../../../src/server/accounts/keys.ts";
import type { TesterHandleRow } from "../../../src/server/db/schema.ts";
import { ensureHandle, issueClaimToken } from "../../../src/server/testers/handles.ts";
import { readStoredText } from "../../engine.ts";
import { freshFolder, NOW, send, startTestService, type TestService } from "../../harness.ts";
import { readSession, sendTelemetry } from "../telemetry-helpers.ts";

let service: TestService;
let gameId: string;
let handle: TesterHandleRow;
let token: string;
let file: string;
beforeEach(async () => {
  file = join(freshFolder(), "play.db");
  service = await startTestService({ database: file });
  gameId = await service.addGame("ember");
  handle = await ensureHandle(write(), service.service, gameId, "wren");
  token = await issueClaimToken(write(), handle);
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const write = () => service.service.store.writeDb;

interface Options {
  readonly claimToken?: string;
  /** The game in the body; by default, ember. */
  readonly game?: string | null | undefined;
  readonly key?: string;
}

function ask(method: "POST" | "DELETE", deviceId: unknown, options: Options = {}) {
  const { claimToken = token, key = service.keys.ingest } = options;
  const game = "game" in options ? options.game : "ember";
  return send(service.app, "/api/telemetry/claim", {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ claimToken, gameId: game, deviceId }),
  });
}

const claim = (deviceId: unknown, options?: Options) => ask("POST", deviceId, options);
const unlink = (deviceId: unknown, options?: Options) => ask("DELETE", deviceId, options);
const tester = async (deviceId: string, game = "ember") =>
  (
    await service.get(`/api/telemetry/tester?gameId=${game}&deviceId=${deviceId}`, {
      key: service.keys.ingest,
    })
  ).json;

const unlinked = { linked: false, handle: null, claimedAt: null };

describe("a claim", () => {
  it("links the device, and reports an existing link", async () => {
    expect(await tester("d1")).toEqual(unlinked);
    expect((await claim("d1")).json).toEqual({
      ok: true,
      alreadyLinked: false,
      handle: "wren",
      claimedAt: NOW,
    });
    service.clock.now += 1000;
    const again = await claim("d1", { game: gameId });
    expect(again.json).toEqual({ ok: true, alreadyLinked: true, handle: "wren", claimedAt: NOW });
    expect(await tester("d1")).toEqual({ linked: true, handle: "wren", claimedAt: NOW });
    expect(await tester("d1", gameId)).toEqual({ linked: true, handle: "wren", claimedAt: NOW });
    expect(await tester("d2")).toEqual(unlinked);
  });

  it("is rejected if the handle is linked to another device", async () => {
    await claim("d1");
    const answer = await claim("d2");
    expect([answer.status, answer.json.reason]).toEqual([409, "already_linked_to_another_device"]);
    expect(answer.text).not.toContain("d1");
    expect(await tester("d2")).toEqual(unlinked);
  });

  it("is rejected if the device is linked to another handle", async () => {
    await claim("d1");
    const robin = await ensureHandle(write(), service.service, gameId, "robin");
    const claimToken = await issueClaimToken(write(), robin);
    expect([(await claim("d1", { claimToken })).status, (await tester("d1")).handle]).toEqual([409, "wren"]);
  });

  it("succeeds for exactly one of many concurrent devices", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => claim(`d${at}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
  });

  it("requires the newest token of the game", async () => {
    const tide = await service.addGame("tide");
    const old = token;
    token = await issueClaimToken(write(), handle);
    for (const options of [
      { claimToken: old },
      { claimToken: "wren" },
      { claimToken: handle.id },
      { game: tide },
    ]) {
      const answer = await claim("d1", options);
      expect([answer.status, answer.json]).toEqual([
        404,
        {
          error: "Not found",
          reason: "unknown_claim_token",
          message: "This key can access no such claim token",
        },
      ]);
    }
    expect((await claim("d1")).status).toBe(200);
  });

  it("returns 404 for a key of another game", async () => {
    const tide = await service.addGame("tide");
    const key = await issueKey(write(), service.accountId, "ingest", NOW, tide);
    for (const answer of [await claim("d1", { key }), await unlink("d1", { key })])
      expect(answer.json).toMatchObject({ error: "Not found", reason: "unknown_game" });
    const read = await service.get("/api/telemetry/tester?gameId=ember&deviceId=d1", { key });
    expect(read.json).toMatchObject({ error: "Not found", reason: "unknown_game" });
  });

  it("needs no game with a key that is limited to one", async () => {
    const key = await issueKey(write(), service.accountId, "ingest", NOW, gameId);
    for (const game of [undefined, null, ""]) {
      const options = { key, game };
      expect((await claim("d1", options)).json).toMatchObject({ ok: true, handle: "wren" });
      for (const search of ["deviceId=d1", "gameId=&deviceId=d1"])
        expect((await service.get(`/api/telemetry/tester?${search}`, { key })).json.handle).toBe("wren");
      expect((await unlink("d1", options)).json).toMatchObject({ ok: true, unlinked: true });
    }
    const unbound = { game: null };
    for (const answer of [await claim("d1", unbound), await unlink("d1", unbound)])
      expect([answer.status, answer.json.reason]).toEqual([400, "game_required"]);
    const read = await service.get("/api/telemetry/tester?deviceId=d1", { key: service.keys.ingest });
    expect([read.status, read.json.reason]).toEqual([400, "game_required"]);
  });

  it("requires a device id of 1 to 128 characters", async () => {
    for (const device of ["", "x".repeat(129), 5, undefined, "a\0"]) {
      const answer = await claim(device);
      expect([answer.status, answer.json.issues[0].path]).toEqual([400, ["deviceId"]]);
    }
    expect((await claim("x".repeat(128))).status).toBe(200);
    for (const search of [
      "gameId=ember",
      "deviceId=d1",
      "gameId=ember&deviceId=",
      `gameId=ember&deviceId=${"x".repeat(129)}`,
    ]) {
      expect(
        (await service.get(`/api/telemetry/tester?${search}`, { key: service.keys.ingest })).status,
      ).toBe(400);
    }
  });
});

it("sessions that start after a claim have the handle, unless the client sends another one", async () => {
  const start = async (body: object) => {
    const id = await sendTelemetry(service, { gameId: "ember", ...body });
    return (await readSession(service, id)).session.testerHandle;
  };
  expect(await start({ deviceId: "d1" })).toBeNull();
  await claim("d1");
  expect(await start({ deviceId: "d1" })).toBe("wren");
  expect(await start({ deviceId: "d1", testerHandle: "other" })).toBe("other");
  expect([await start({ deviceId: "d2" }), await start({})]).toEqual([null, null]);
});

describe("a handle that a client sends, and that another device is linked to", () => {
  /** Starts a session, and returns its handle in its item, in the list of testers and in its journey. */
  const start = async (body: object) => {
    const id = await sendTelemetry(service, { gameId: "ember", ...body });
    return { id, read: async () => (await readSession(service, id)).session.testerHandle };
  };
  const listTesters = async () => {
    const { json } = await service.get("/api/v1/testers/ember");
    const items = json.items as { deviceId: string | null; handle: string | null }[];
    return Object.fromEntries(items.map(({ deviceId, handle }) => [deviceId ?? "none", handle]));
  };

  it("is ignored, also without a device", async () => {
    await claim("d1");
    const own = await start({ deviceId: "d1", testerHandle: "wren" });
    const forged = await start({ deviceId: "d2", testerHandle: "wren" });
    const nameless = await start({ testerHandle: "wren" });
    expect([await own.read(), await forged.read(), await nameless.read()]).toEqual(["wren", null, null]);
    expect(await listTesters()).toEqual({ d1: "wren", d2: null, none: null });
    const { json } = await service.get("/api/v1/testers/ember/wren");
    expect(json.sessions.map(({ id }: { id: string }) => id)).toEqual([own.id]);
    expect((await service.get("/api/v1/sessions?q=wren")).json.total).toBe(1);
  });

  it("is replaced by the handle of the device itself", async () => {
    await claim("d1");
    const robin = await ensureHandle(write(), service.service, gameId, "robin");
    await claim("d2", { claimToken: await issueClaimToken(write(), robin) });
    expect(await (await start({ deviceId: "d2", testerHandle: "wren" })).read()).toBe("robin");
  });

  it("is removed from earlier sessions by the claim", async () => {
    const own = await start({ deviceId: "d1", testerHandle: "wren" });
    const early = [];
    for (let at = 0; at < 201; at += 1)
      early.push(await start({ deviceId: `early${at}`, testerHandle: "wren" }));
    early.push(await start({ testerHandle: "wren" }));
    await claim("d1");
    expect(await own.read()).toBe("wren");
    for (const session of early) expect(await session.read()).toBeNull();
    expect((await service.get("/api/v1/sessions?q=wren")).json.total).toBe(1);
  });
});

describe("unlinking", () => {
  it("frees the handle for another device, and is idempotent", async () => {
    await claim("d1");
    for (let times = 0; times < 2; times += 1) {
      const answer = await unlink("d1");
      expect([answer.status, answer.json]).toEqual([
        200,
        { ok: true, handle: "wren", unlinked: times === 0 },
      ]);
    }
    expect(await tester("d1")).toEqual(unlinked);
    service.clock.now += 1;
    expect((await claim("d2")).json).toMatchObject({ alreadyLinked: false, claimedAt: NOW + 1 });
  });

  it("is rejected for a device that is not linked to the handle", async () => {
    await claim("d1");
    expect((await unlink("d2")).status).toBe(409);
    expect((await tester("d1")).linked).toBe(true);
    expect((await unlink("d1", { claimToken: `pt_tt_${"0".repeat(40)}` })).status).toBe(404);
  });
});

it("does not store tokens in plain text", async () => {
  expect(token).toMatch(/^pt_tt_[0-9a-f]{40}$/);
  await claim("d1");
  const { text } = await service.get("/api/v1/handles/ember");
  await service.stop();
  expect((await readStoredText(file)) + text).not.toContain(token);
  service = await startTestService();
});
