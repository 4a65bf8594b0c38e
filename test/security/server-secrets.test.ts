/** Keys and tokens: only their hashes are in statements, tables, files and logs, and replaced keys stop working immediately. */
import { once } from "node:events";
import { chmodSync, copyFileSync, rmSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { Kysely } from "kysely";
import { afterEach, expect, it } from "vitest";
import { issueKeys } from "../../src/server/accounts/accounts.ts";
import { findKey, generateApiKey, hashKey, issueKey } from "../../src/server/accounts/keys.ts";
import { storeProvider } from "../../src/server/analysis/provider/provider-queries.ts";
import { withCounters } from "../../src/server/db/counters.ts";
import { migrate } from "../../src/server/db/migrate.ts";
import type { Db, Schema } from "../../src/server/db/schema.ts";
import { openConnection, sqliteDialect } from "../../src/server/db/sqlite.ts";
import type { Store } from "../../src/server/db/store.ts";
import { listen } from "../../src/server/http/listen.ts";
import { startLog } from "../../src/server/observability/log.ts";
import {
  addPlaytestKeys,
  createBatch,
  generatePlaytestKey,
  inviteTester,
} from "../../src/server/playtests/batches.ts";
import { ensureHandle, issueClaimToken } from "../../src/server/testers/handles.ts";
import { readStoredText } from "../engine.ts";
import { freshFolder, NOW, startTestService, type TestService } from "../harness.ts";
import { parseResponses } from "./wire.ts";

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A database in memory that records all statements with their parameters. */
async function watchedStore(): Promise<{ store: Store; said: string[] }> {
  const said: string[] = [];
  const connection = await openConnection(":memory:", { durability: "NORMAL" });
  type Connection = typeof connection;
  const watched = new Proxy(connection, {
    get(target, name) {
      if (name === "prepare") return (text: string) => watchedStatement(text, target.prepare(text));
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const watchedStatement = (text: string, statement: ReturnType<Connection["prepare"]>) =>
    new Proxy(statement, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) => {
          said.push(
            `${text} ${given.map((one) => (one instanceof Uint8Array ? Buffer.from(one).toString("latin1") : String(one))).join(" | ")}`,
          );
          return value.apply(target, given);
        };
      },
    });
  const db = new Kysely<Schema>({ dialect: sqliteDialect(watched, "begin immediate") });
  await migrate(db, ":memory:");
  const write = <T>(work: (db: Db) => Promise<T>) =>
    db.transaction().execute((own) => withCounters(own, work));
  const read = <T>(work: (db: Db) => Promise<T>) => db.transaction().execute(work);
  const store = {
    engine: "sqlite",
    readDb: db,
    writeDb: db,
    isComplete: () => true,
    pool: null,
    purgeDeleted: async () => true,
    location: ":memory:",
    read,
    write,
    serializable: write,
    syncLater: <T>(work: () => Promise<T>) => work(),
    measureSize: async () => 0,
    shrink: async () => false,
    watchDamage: () => {},
    close: () => db.destroy(),
  } as const;
  return { store, said };
}

interface Secrets {
  /** Secrets that must not be stored in clear text. */
  readonly hashed: readonly string[];
  /** Secrets that are stored in clear text, because the service must read them: keys of AI providers, and share tokens. */
  readonly kept: readonly string[];
}

/** Creates one secret of each kind, and uses those that have an endpoint. */
async function makeSecrets(service: TestService): Promise<Secrets> {
  const { service: making, accountId } = service;
  const { writeDb: write } = making.store;
  const gameId = await service.addGame("maze");
  const bound = await issueKey(write, accountId, "ingest", NOW, gameId);
  const batch = await createBatch(write, making, gameId, {
    name: "batch",
    distribution_target: "steam",
    fulfillment_source: "uploaded",
    redemption_mode: "link",
    identity_mode: "email",
    instructions: "",
    expires_at: NOW + 86_400_000,
    shared: true,
  });
  const playtestKey = generatePlaytestKey();
  await addPlaytestKeys(write, making, batch, [playtestKey]);
  const { token } = await inviteTester(write, making, batch, "one@studio.test", null);
  const claimToken = await issueClaimToken(write, await ensureHandle(write, making, gameId, "wren"));
  const apiKey = "sk-of-the-model-0123456789";
  await storeProvider(write, {
    account_id: accountId,
    kind: "chat",
    base_url: "http://127.0.0.1:1/v1",
    model: "none",
    api_key: apiKey,
    timeout_ms: 1000,
    updated_at: NOW,
  });
  const { management, ingest } = service.keys;
  const wrong = [generateApiKey("management"), generateApiKey("ingest"), "pt_tt_nobody_has_this_token"];
  for (const key of [management, ingest, bound, ...wrong]) {
    await service.get("/api/v1/games", { key });
    await service.post(`/api/webhooks/discord?key=${key}`, { channel_id: "c", game: "maze" }, { key: null });
    await service.post("/api/telemetry", { gameId: "maze", clientSessionId: "c", events: [] }, { key });
    await service.post("/mcp", {}, { key });
  }
  for (const claim of [claimToken, ...wrong])
    for (const deviceId of ["device", "another"])
      await service.post("/api/telemetry/claim", { claimToken: claim, gameId: "maze", deviceId });
  expect((await service.get("/api/v1/handles/maze")).json.handles[0].device_id).toBe("device");
  // Replaced secrets must not be stored either.
  const next = await issueKeys(write, making, accountId);
  expect((await service.get("/api/v1/games", { key: next.management })).status).toBe(200);
  return {
    hashed: [
      management,
      ingest,
      bound,
      playtestKey,
      token,
      claimToken,
      ...wrong,
      next.management,
      next.ingest,
    ],
    kept: [apiKey, batch.share_token ?? "none"],
  };
}

/** Returns the secrets in a text, complete or only their random part. */
const foundIn = (text: string, secrets: readonly string[]) =>
  secrets.filter((one) => text.includes(one) || text.includes(one.slice(-20)));

it("statements contain no keys or tokens, only their hashes", async () => {
  const { store, said } = await watchedStore();
  const service = await startTestService({ store });
  closers.push(() => service.stop());
  const { hashed, kept } = await makeSecrets(service);
  const all = said.join("\n");
  expect(foundIn(all, hashed)).toEqual([]);
  // The recording works: it contains stored values and hashes.
  for (const one of [...kept, ...hashed.map(hashKey)]) expect(all).toContain(one);
  expect(service.faults).toEqual([]);
});

it("neither database files nor logs contain keys or tokens", async () => {
  const folder = freshFolder();
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const lines: string[] = [];
  const log = startLog({ level: "debug", now: () => NOW, write: (line) => void lines.push(line) });
  const file = join(folder, "play.db");
  const service = await startTestService({
    database: file,
    dependencies: { now: () => NOW, observer: log.observer, report: log.report },
  });
  const { hashed, kept } = await makeSecrets(service);
  const whileOpen = await readStoredText(file);
  await service.stop();
  const stored = whileOpen + (await readStoredText(file));
  for (const one of kept) expect(stored).toContain(one);
  expect(foundIn(stored, hashed)).toEqual([]);
  expect(lines.length).toBeGreaterThan(hashed.length);
  expect(foundIn(lines.join("\n"), [...hashed, ...kept])).toEqual([]);
});

it.skipIf(process.platform === "win32")(
  "a new database and its log are readable only by their owner, and existing files keep their mode",
  async () => {
    const folder = freshFolder();
    closers.push(() => rmSync(folder, { recursive: true, force: true }));
    const mode = (path: string) => statSync(path).mode & 0o777;
    const [made, found] = [join(folder, "made.db"), join(folder, "found.db")];
    const service = await startTestService({ database: made });
    await service.addGame("maze");
    for (const part of ["", "-wal", "-shm"]) expect([part, mode(made + part)]).toEqual([part, 0o600]);
    await service.stop();
    copyFileSync(made, found);
    chmodSync(found, 0o640);
    await (await startTestService({ database: found, continues: service })).stop();
    expect(mode(found)).toBe(0o640);
  },
);

it("a key is found only by its complete hash", async () => {
  const service = await startTestService();
  closers.push(() => service.stop());
  const { readDb: read } = service.service.store;
  const { management } = service.keys;
  expect((await findKey(read, management))?.kind).toBe("management");
  const near = [
    hashKey(management),
    management.slice(0, -1),
    `${management}0`,
    ` ${management}`,
    management.toUpperCase(),
    "",
  ];
  for (const key of near) expect([key, await findKey(read, key)]).toEqual([key, null]);
});

/** A connection that sends several requests. */
class Asking {
  readonly #socket: Socket;
  #came = "";

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.on("data", (chunk) => {
      this.#came += chunk.toString("latin1");
    });
    closers.push(() => this.#socket.destroy());
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** Sends a request and returns the status. */
  async ask(lines: string, body = ""): Promise<number | undefined> {
    this.#came = "";
    this.#socket.write(`${lines}\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    for (;;) {
      await once(this.#socket, "data");
      try {
        return parseResponses(this.#came)[0]?.status;
      } catch {}
    }
  }
}

it("a replaced key is rejected on the next request of an open connection, and the new one is accepted", async () => {
  const service = await startTestService();
  const { port, close } = await listen(service.app, { host: "127.0.0.1", port: 0 });
  closers.push(() => service.stop(), close);
  await service.addGame("maze");
  const [reading, hooking, assisting] = [new Asking(port), new Asking(port), new Asking(port)];
  const thread = JSON.stringify({ channel_id: "c", game: "maze" });
  const hello = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "0" } },
  });
  const read = (key: string) => reading.ask(`GET /api/v1/games HTTP/1.1\r\nAuthorization: Bearer ${key}`);
  const hook = (key: string) =>
    hooking.ask(`POST /api/webhooks/discord?key=${key} HTTP/1.1\r\nContent-Type: application/json`, thread);
  const assist = (key: string) =>
    assisting.ask(
      `POST /mcp HTTP/1.1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream`,
      hello,
    );
  const old = service.keys.management;
  expect([await read(old), await hook(old), await assist(old)]).toEqual([200, 201, 200]);
  const next = await issueKeys(service.service.store.writeDb, service.service, service.accountId);
  expect([await read(old), await hook(old), await assist(old)]).toEqual([401, 401, 401]);
  expect([await read(next.management), await hook(next.management), await assist(next.management)]).toEqual([
    200, 200, 200,
  ]);
  expect([reading.isOpen, hooking.isOpen, assisting.isOpen]).toEqual([true, true, true]);
});

it("a waiting MCP call fails if its key is replaced in the meantime", async () => {
  const service = await startTestService();
  const { store } = service.service;
  let go = () => {};
  const rotated = new Promise<void>((resolve) => {
    go = resolve;
  });
  let arrived = 0;
  const fetch: typeof service.app.fetch = async (request, peer) => {
    arrived += 1;
    return await service.app.fetch(request, peer);
  };
  const { url, close } = await listen({ fetch }, { host: "127.0.0.1", port: 0 });
  closers.push(() => service.stop(), close);
  const headers = {
    authorization: `Bearer ${service.keys.management}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const send = (body: unknown, more: Record<string, string> = {}) =>
    globalThis.fetch(`${url}/mcp`, {
      method: "POST",
      headers: { ...headers, ...more },
      body: body as NonNullable<RequestInit["body"]>,
      ...({ duplex: "half" } as object),
    });
  const begun = await send(
    JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "0" } },
    }),
  );
  const session = begun.headers.get("mcp-session-id") ?? "";
  await begun.text();
  const message = JSON.stringify({
    jsonrpc: "2.0",
    id: 2,
    method: "tools/call",
    params: { name: "list_games", arguments: {} },
  });
  // The key is checked before it is replaced, and the rest of the body is sent afterwards.
  const slow = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(Buffer.from(message.slice(0, 10)));
      await rotated;
      controller.enqueue(Buffer.from(message.slice(10)));
      controller.close();
    },
  });
  const answered = send(slow, { "mcp-session-id": session });
  await expect.poll(() => arrived).toBe(2);
  // Later requests are handled later.
  expect((await service.get("/api/v1/games")).status).toBe(200);
  await issueKeys(store.writeDb, service.service, service.accountId);
  go();
  const answer = await answered;
  const text = await answer.text();
  expect(answer.status).toBe(200);
  expect(text).toContain("Invalid key");
  expect(text).not.toContain('"games"');
});
