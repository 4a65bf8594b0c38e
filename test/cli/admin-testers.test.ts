/** The commands that delete and export what the database holds: testers, sessions and games. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resolveDatabase } from "../engine.ts";
import { NOW, runCli, startFileService, startTestService, type TestService } from "../harness.ts";
import { sendTelemetry } from "../server/telemetry-helpers.ts";

let service: TestService;
let folder: string;
let database: string;
beforeEach(async () => {
  ({ service, folder, database } = await startFileService());
  for (const slug of ["ember", "tide"]) await service.addGame(slug);
});
afterEach(() => service.stop());

const play = (gameId: string, name: string, more: object = {}) =>
  sendTelemetry(service, {
    gameId,
    deviceId: `${name}-phone`,
    testerHandle: name,
    clientSessionId: `client-${gameId}-${name}`,
    sessionMetadata: { gameVersion: "1.0" },
    events: [
      { id: "e1", name: "jump", timestamp: NOW - 2000, data: { note: `note of ${name}` } },
      { id: "e2", name: "player_pos", timestamp: NOW - 1000, data: { room: "cave", x: 1, y: 2 } },
    ],
    ...more,
  });

const admin = (args: readonly string[]) =>
  runCli(["admin", ...args, "--database", database, "--json"], { home: folder, clock: service.clock });

describe("admin testers erase", () => {
  it("asks first, and names the flag without a terminal", async () => {
    await play("ember", "wren");
    const run = await admin(["testers", "erase", "wren"]);
    expect([run.code, run.err]).toEqual([2, expect.stringContaining("--yes")]);
    expect((await service.get("/api/v1/sessions")).json.total).toBe(1);
  });

  it("counts the same rows in a dry run, which changes nothing", async () => {
    for (const game of ["ember", "tide"]) for (const name of ["wren", "robin"]) await play(game, name);
    const dry = await admin(["testers", "erase", "wren", "--dry-run"]);
    expect([dry.err, dry.code]).toEqual(["", 0]);
    expect((await service.get("/api/v1/sessions")).json.total).toBe(4);
    const receipt = join(folder, "receipt.json");
    const run = await admin(["testers", "erase", "wren", "--yes", "--receipt", receipt]);
    expect([run.err, run.code]).toEqual(["", 0]);
    const written = JSON.parse(readFileSync(receipt, "utf8"));
    expect(JSON.parse(run.out)).toEqual(written);
    expect(written).toMatchObject({ games: ["ember", "tide"], remaining: 0, rows: JSON.parse(dry.out).rows });
    const rows = written.tables.map(({ table, rows: count }: { table: string; rows: number }) => ({
      table,
      rows: count,
    }));
    expect(rows).toEqual(JSON.parse(dry.out).tables);
    expect(rows).toContainEqual({ table: "sessions", rows: 2 });
    expect(readFileSync(receipt, "utf8")).not.toMatch(/wren/);
    expect(statSync(receipt).mode & 0o777).toBe(0o600);
    const left = (await service.get("/api/v1/sessions")).json.items;
    expect(left.map(({ testerHandle }: { testerHandle: string }) => testerHandle)).toEqual([
      "robin",
      "robin",
    ]);
    const [change] = JSON.parse((await admin(["audit", "list"])).out).items;
    expect(change).toMatchObject({ action: "testers.erase", target: written.tester });
  });

  it("erases from one game with --game", async () => {
    for (const game of ["ember", "tide"]) await play(game, "wren");
    const run = await admin(["testers", "erase", "wren-phone", "--game", "ember", "--yes"]);
    expect([run.err, run.code]).toEqual(["", 0]);
    expect((await service.get("/api/v1/sessions?game=ember")).json.total).toBe(0);
    expect((await service.get("/api/v1/sessions?game=tide")).json.total).toBe(1);
  });

  it("keeps what others have played on a shared device", async () => {
    await play("ember", "wren", { deviceId: "booth" });
    await play("ember", "robin", { deviceId: "booth" });
    await admin(["testers", "erase", "wren", "--yes"]);
    const { items } = (await service.get("/api/v1/sessions")).json;
    expect(items).toMatchObject([{ testerHandle: "robin" }]);
  });

  it("erases nothing if it is repeated, and is found in the audit by the tester's name", async () => {
    await play("ember", "wren");
    await admin(["testers", "erase", "wren", "--yes"]);
    const again = await admin(["testers", "erase", "wren", "--yes"]);
    expect([again.err, again.code, JSON.parse(again.out)]).toMatchObject(["", 0, { rows: 0, remaining: 0 }]);
    const { items } = JSON.parse((await admin(["audit", "list", "--target", "wren"])).out);
    expect(items).toMatchObject([{ action: "testers.erase" }, { action: "testers.erase" }]);
  });

  it("has the complete receipt in a second run if it could not be written in the first", async () => {
    await play("ember", "wren");
    const failed = await admin(["testers", "erase", "wren", "--yes", "--receipt", folder]);
    expect([failed.code, failed.err]).toEqual([3, expect.stringContaining("Cannot write the receipt")]);
    const receipt = join(folder, "receipt.json");
    await admin(["testers", "erase", "wren", "--yes", "--receipt", receipt]);
    expect(JSON.parse(readFileSync(receipt, "utf8")).tables).toContainEqual({
      ...{ table: "sessions", rows: 1, remaining: 0 },
    });
  });

  it("returns not_found for a tester that no game knows", async () => {
    const run = await admin(["testers", "erase", "nobody", "--yes"]);
    expect([run.code, run.err]).toEqual([44, expect.stringContaining('"nobody"')]);
  });
});

describe("admin testers export", () => {
  it("writes everything that an erasure would delete, for its owner only", async () => {
    const id = await play("ember", "wren");
    await play("ember", "robin");
    const out = join(folder, "wren.json");
    const run = await admin(["testers", "export", "wren", "--out", out]);
    expect([run.err, run.code]).toEqual(["", 0]);
    expect(JSON.parse(run.out)).toMatchObject({ file: out, sessions: 1, events: 2 });
    const text = readFileSync(out, "utf8");
    expect(text).not.toMatch(/robin/);
    const { games } = JSON.parse(text);
    expect(games).toMatchObject([
      {
        game: { slug: "ember" },
        names: { handle: ["wren"], device: ["wren-phone"], email: [] },
        tables: { sessions: [{ id, metadata: { gameVersion: "1.0" } }] },
      },
    ]);
    expect(games[0].events[id]).toMatchObject([
      { name: "jump", data: { note: "note of wren" } },
      { name: "player_pos", data: { room: "cave", x: 1, y: 2 } },
    ]);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const again = await admin(["testers", "export", "wren", "--out", out]);
    expect([again.code, again.err]).toEqual([3, expect.stringContaining("--force")]);
  });
});

describe("admin sessions delete", () => {
  it("deletes sessions, and skips those that were deleted before", async () => {
    const ids = [await play("ember", "wren"), await play("tide", "wren")];
    const unknown = await admin(["sessions", "delete", ids[0] ?? "", "sess_unknown", "--yes"]);
    expect([unknown.code, unknown.err]).toEqual([44, expect.stringContaining("sess_unknown")]);
    expect((await service.get("/api/v1/sessions")).json.total).toBe(2);
    for (const deleted of [ids, []]) {
      const run = await admin(["sessions", "delete", ...ids, "--yes"]);
      expect([run.err, run.code, JSON.parse(run.out).deleted]).toEqual(["", 0, deleted]);
    }
    expect((await service.get("/api/v1/sessions")).json.total).toBe(0);
    expect((await service.get("/api/v1/events/ember")).json).toMatchObject({ byName: {}, sessionCount: 0 });
  });
});

describe("admin games delete", () => {
  it("deletes a game with its sessions and keys, and nothing of other games", async () => {
    for (const game of ["ember", "tide"]) await play(game, "wren");
    const run = await admin(["games", "delete", "ember", "--yes"]);
    expect([run.err, run.code]).toEqual(["", 0]);
    const { games } = (await service.get("/api/v1/games")).json;
    expect(games.map(({ slug }: { slug: string }) => slug)).toEqual(["tide"]);
    expect((await service.get("/api/v1/sessions")).json.total).toBe(1);
    expect((await service.get("/api/v1/insights")).json.total).toBe(
      (await service.get("/api/v1/insights?game=tide")).json.total,
    );
    const late = await service.post("/api/telemetry", { gameId: "ember", events: [] });
    expect([late.status, late.json.reason]).toEqual([404, "unknown_game"]);
  });

  it("can be repeated, because an earlier run may not have emptied the files", async () => {
    await play("ember", "wren");
    for (const deleted of [{ slug: "ember" }, null]) {
      const run = await admin(["games", "delete", "ember", "--yes"]);
      expect([run.err, run.code, JSON.parse(run.out)]).toMatchObject(["", 0, { deleted }]);
    }
    expect((await admin(["games", "delete", "embers", "--yes"])).code).toBe(44);
    await service.addGame("ember");
    expect((await admin(["games", "delete", "ember"])).code).toBe(2);
  });
});

describe("over HTTP", () => {
  it("deletes nothing with a management key", async () => {
    const id = await play("ember", "wren");
    const { management } = service.keys;
    for (const path of [
      `/api/v1/sessions/${id}`,
      "/api/v1/games/ember",
      "/api/v1/testers/ember/wren-phone",
    ]) {
      const answer = await service.get(path, { method: "DELETE" });
      expect([path, answer.status]).toEqual([path, 405]);
    }
    const claim = { gameId: "ember", claimToken: "pt_ct_x", deviceId: "wren-phone" };
    for (const path of ["/api/telemetry", "/api/telemetry/claim"]) {
      const answer = await service.post(path, claim, { key: management });
      expect([path, answer.status]).toEqual([path, 403]);
    }
    expect((await service.get("/api/v1/sessions")).json.total).toBe(1);
  });
});

describe("server import --erasures-from", () => {
  it("erases again what was erased after an archive was exported", async () => {
    await play("ember", "wren");
    await play("ember", "robin");
    const [older, newer] = [join(folder, "older.gz"), join(folder, "newer.gz")];
    const server = (args: readonly string[]) =>
      runCli(["server", ...args, "--json"], { home: folder, clock: service.clock });
    await server(["export", older, "--database", database]);
    await admin(["testers", "erase", "wren", "--yes"]);
    await server(["export", newer, "--database", database]);
    const restored = await resolveDatabase(join(folder, "restored.db"));
    const run = await server(["import", older, "--erasures-from", newer, "--database", restored]);
    expect([run.err.includes("rror"), run.code]).toEqual([false, 0]);
    const copy = await startTestService({ database: join(folder, "restored.db"), continues: service });
    const { items } = (await copy.get("/api/v1/sessions")).json;
    expect(items).toMatchObject([{ testerHandle: "robin" }]);
    const late = await copy.post("/api/telemetry", {
      gameId: "ember",
      clientSessionId: "client-ember-wren",
      events: [],
    });
    expect([late.status, late.json.reason]).toEqual([409, "erased"]);
    await copy.stop();
  });

  it("refuses a file that is not an archive, and telemetry files", async () => {
    const file = join(folder, "play.ndjson");
    writeFileSync(file, `${JSON.stringify({ gameId: "ember", events: [] })}\n`);
    const run = await runCli(["server", "import", file, "--erasures-from", file, "--database", database], {
      home: folder,
    });
    expect([run.code, run.err]).toEqual([2, expect.stringContaining("--erasures-from")]);
  });
});
