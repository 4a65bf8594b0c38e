/** Who may see the console: signing in and out, sessions, links from elsewhere, foreign forms, other accounts. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { MAX_CONSOLE_SESSIONS } from "../../src/server/accounts/console-sessions.ts";
import { createKey } from "../../src/server/accounts/keys.ts";
import { defaultRateLimits } from "../../src/server/http/rate-limits.ts";
import { NOW, send, startTestService, type TestService } from "../harness.ts";
import { BROWSER, signIn, startConsole, submit, visit } from "./harness.ts";

const HOUR = 3_600_000;

let service: TestService;

beforeAll(async () => {
  service = await startConsole();
  await service.addGame("ember");
});

afterEach(() => {
  service.clock.now = NOW;
});

afterAll(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

describe("without a session", () => {
  test.each(["/", "/games/ember/sessions?build=1", "/games/none/builds"])(
    "%s asks for a key, and returns there",
    async (path) => {
      const { status, text, headers } = await visit(service, path);
      expect(status).toBe(401);
      expect(text).toContain(`name="next" value="${path}"`);
      expect(text).not.toContain("ember-session");
      expect(headers.get("cache-control")).toBe("no-store");
    },
  );

  test("a page opens itself again if a link on another site led to it, because browsers then leave out the cookie", async () => {
    const { headers, text } = await visit(service, "/games/ember/sessions?build=1", {
      headers: { "sec-fetch-site": "cross-site" },
    });
    expect(headers.get("refresh")).toBe("0; url=/games/ember/sessions?build=1");
    expect(text).not.toContain("password");
  });

  test.each(["//evil.example/x", "/\\evil.example"])("%s never leads to another site", async (path) => {
    const opened = await visit(service, path, { headers: { "sec-fetch-site": "cross-site" } });
    expect(opened.headers.get("refresh") ?? "").not.toContain("evil");
    const { status, headers } = await submit(service, "/sign-in", {
      key: service.keys.management,
      next: path,
    });
    expect([status, headers.get("location")]).toEqual([303, "/"]);
  });

  test("programs still get JSON for unknown paths", async () => {
    const { status, json } = await service.get("/unknown", { headers: { accept: "*/*" } });
    expect([status, json]).toEqual([404, { error: "Not found" }]);
  });
});

describe("signing in", () => {
  test("sets a cookie that scripts and other sites cannot use, and that does not contain the key", async () => {
    const key = service.keys.management;
    const { status, headers, text } = await submit(service, "/sign-in", { key, next: "/games/ember/builds" });
    const cookie = headers.get("set-cookie") ?? "";
    expect([status, headers.get("location"), text]).toEqual([303, "/games/ember/builds", ""]);
    expect(cookie).toMatch(/^playtest=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    const { text: page } = await visit(service, "/", { cookie: cookie.split(";")[0] ?? "" });
    for (const part of [cookie, page]) expect(part).not.toContain(key.slice(8));
  });

  test("behind TLS uses a cookie that browsers send only over TLS to this host", async () => {
    const headers = { "x-forwarded-proto": "https" };
    const answer = await submit(service, "/sign-in", { key: service.keys.management }, { headers });
    const cookie = answer.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^__Host-playtest=.*; Secure; SameSite=Strict$/);
    const token = cookie.split(";")[0] ?? "";
    expect((await visit(service, "/", { cookie: token, headers })).status).toBe(200);
    expect((await visit(service, "/", { cookie: token })).status).toBe(401);
  });

  test.each([
    ["an unknown key", "pt_mgmt_0000", "This key is not valid"],
    ["no key", " ", "Enter a management key"],
  ])("refuses %s, and does not show it", async (_case, key, reason) => {
    const { status, text, headers } = await submit(service, "/sign-in", { key, next: "/games/ember/builds" });
    expect([status, headers.get("set-cookie")]).toEqual([401, null]);
    expect(text).toContain(reason);
    expect(text).toContain('value="/games/ember/builds"');
    expect(text).not.toContain("pt_mgmt_0000");
  });

  test("refuses an ingest key", async () => {
    const { status, text } = await submit(service, "/sign-in", { key: service.keys.ingest });
    expect(status).toBe(401);
    expect(text).toContain("This is an ingest key");
  });

  test.each([
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["a sibling host", { "sec-fetch-site": "same-site" }],
    ["another origin, by an old browser", { "sec-fetch-site": "", origin: "http://evil.example" }],
    ["a page without an origin", { "sec-fetch-site": "", origin: "null" }],
  ])("refuses a form of %s", async (_case, headers) => {
    const cookie = await signIn(service);
    for (const path of ["/sign-in", "/sign-out"]) {
      const form = { key: service.keys.management };
      const answer = await submit(service, path, form, { cookie, headers });
      expect([path, answer.status, answer.headers.get("set-cookie")]).toEqual([path, 403, null]);
    }
    expect((await visit(service, "/", { cookie })).status).toBe(200);
  });

  test("refuses a form that is too large", async () => {
    const { status, text } = await submit(service, "/sign-in", { key: "x".repeat(5000) });
    expect([status, text.includes("at most 4096 bytes")]).toEqual([400, true]);
  });

  test("accepts a form without a Content-Length, which some proxies send", async () => {
    const headers = { "content-length": "" };
    const form = { key: service.keys.management };
    expect((await submit(service, "/sign-in", form, { headers })).status).toBe(303);
  });

  test.each(["100", null])("an unfinished form with Content-Length %s is not a fault", async (length) => {
    const body = new ReadableStream({ pull: (stream) => stream.error(new Error("aborted")) });
    const headers = { ...BROWSER, ...(length === null ? {} : { "content-length": length }) };
    const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    expect((await send(service.app, "/sign-in", init)).status).toBe(400);
  });
});

describe("a session", () => {
  test("ends after 12 hours", async () => {
    const cookie = await signIn(service);
    service.clock.now = NOW + 12 * HOUR - 1;
    expect((await visit(service, "/", { cookie })).status).toBe(200);
    service.clock.now = NOW + 12 * HOUR;
    expect((await visit(service, "/", { cookie })).status).toBe(401);
  });

  test("ends at sign-out, and other sessions of the key continue", async () => {
    const [first, second] = [await signIn(service), await signIn(service)];
    const { status, headers } = await submit(service, "/sign-out", {}, { cookie: first });
    expect([status, headers.get("location")]).toEqual([303, "/"]);
    expect(headers.get("set-cookie")).toContain("Max-Age=0");
    expect(headers.get("clear-site-data")).toBe('"cache"');
    expect((await visit(service, "/", { cookie: first })).status).toBe(401);
    expect((await visit(service, "/", { cookie: second })).status).toBe(200);
  });

  test("ends when its browser signs in again", async () => {
    const cookie = await signIn(service);
    const again = await submit(service, "/sign-in", { key: service.keys.management }, { cookie });
    expect(again.status).toBe(303);
    expect((await visit(service, "/", { cookie })).status).toBe(401);
    const renewed = (again.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    expect((await visit(service, "/", { cookie: renewed })).status).toBe(200);
  });

  test("is the oldest to end when a key has too many", async () => {
    const other = await service.addAccount("many");
    const cookies = [];
    for (let at = 0; at < MAX_CONSOLE_SESSIONS + 2; at += 1) {
      service.clock.now = NOW + at;
      cookies.push(await signIn(service, other.keys.management));
    }
    const statuses = [];
    for (const cookie of [...cookies.slice(0, 3), ...cookies.slice(-1)])
      statuses.push((await visit(service, "/", { cookie })).status);
    expect(statuses).toEqual([401, 401, 200, 200]);
  });

  test("ends when its key is revoked or expires", async () => {
    const { store } = service.service;
    const key = await createKey(store.writeDb, service.accountId, NOW, {
      kind: "management",
      name: "console",
      expiresAt: NOW + HOUR,
    });
    const cookie = await signIn(service, key);
    service.clock.now = NOW + HOUR;
    expect((await visit(service, "/", { cookie })).status).toBe(401);
    service.clock.now = NOW;
    expect((await visit(service, "/", { cookie })).status).toBe(200);
    await store.writeDb.deleteFrom("keys").where("name", "=", "console").execute();
    expect((await visit(service, "/", { cookie })).status).toBe(401);
  });

  test("of another account shows none of this account's games", async () => {
    const other = await service.addAccount("other");
    const cookie = await signIn(service, other.keys.management);
    const { status, text } = await visit(service, "/", { cookie });
    expect([status, text.includes("ember")]).toEqual([200, false]);
    const page = await visit(service, "/games/ember/sessions", { cookie });
    expect(page.status).toBe(404);
  });

  test.each([
    ["short", "x"],
    ["of SQL", "' or 1=1 --"],
    ["of the right length", "A".repeat(43)],
    ["long", "A".repeat(10_000)],
  ])("does not exist for a token that is %s", async (_case, token) => {
    const cookie = `playtest=${encodeURIComponent(token)}`;
    expect((await visit(service, "/", { cookie })).status).toBe(401);
  });

  test("cannot be used for the API, and the API's key not for pages", async () => {
    const cookie = await signIn(service);
    expect((await service.get("/api/v1/games", { key: null, headers: { cookie } })).status).toBe(401);
    const headers = { authorization: `Bearer ${service.keys.management}` };
    expect((await visit(service, "/", { headers })).status).toBe(401);
  });
});

test("every response of the console forbids frames, foreign content and inline code", async () => {
  const cookie = await signIn(service);
  const { text } = await visit(service, "/", { cookie });
  const style = /href="(\/files\/style[^"]+)"/.exec(text)?.[1] ?? "";
  for (const [path, sent] of [
    ["/", { cookie }],
    ["/", {}],
    ["/unknown", { cookie }],
    ["/games/none/builds", { cookie }],
    [style, {}],
    ["/", { cookie, method: "DELETE" }],
  ] as const) {
    const { headers } = await visit(service, path, sent);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("content-security-policy")).not.toContain("unsafe");
    expect([headers.get("x-frame-options"), headers.get("x-content-type-options")]).toEqual([
      "DENY",
      "nosniff",
    ]);
  }
});

test.each([
  ["a page of another host", "/", { host: "evil.example" }, 421],
  ["a page without a session", "/", {}, 401],
])("HEAD of %s has the status and size of the page, and no body", async (_case, path, headers, status) => {
  const [head, get] = await Promise.all(
    ["HEAD", "GET"].map(async (method) => await visit(service, path, { headers, method })),
  );
  expect([head?.status, head?.text, get?.status]).toEqual([status, "", status]);
  expect(head?.headers.get("content-length")).toBe(String(Buffer.byteLength(get?.text ?? "")));
});

test.each(["/sign-in", "/sign-out"])(
  "opening %s changes nothing, and leads to the first page",
  async (path) => {
    const cookie = await signIn(service);
    const { status, headers } = await visit(service, path, { cookie });
    expect([status, headers.get("location"), headers.get("set-cookie")]).toEqual([303, "/", null]);
    expect((await visit(service, "/", { cookie })).status).toBe(200);
  },
);

test("a key in the address of a page that fails is not logged", async () => {
  const broken = await startConsole();
  const cookie = await signIn(broken);
  const { schema } = broken.service.store.writeDb;
  await schema.alterTable("games").renameTo("games_away").execute();
  const path = `/games/${broken.keys.management}/builds`;
  expect((await visit(broken, path, { cookie })).status).toBe(500);
  await schema.alterTable("games_away").renameTo("games").execute();
  await broken.stop();
  const logged = broken.faults.map(String).join();
  expect(logged).toContain("GET /games/[key]/builds");
  expect(logged).not.toContain(broken.keys.management);
});

test("refused methods count toward the limit of the address", async () => {
  const limited = await startConsole({ limits: { ...defaultRateLimits, ip: { points: 2, seconds: 60 } } });
  const statuses = [];
  for (let at = 0; at < 3; at += 1) statuses.push((await visit(limited, "/", { method: "DELETE" })).status);
  expect(statuses).toEqual([405, 405, 429]);
  await limited.stop();
});

test("pages have an ETag, and are not sent again while they are the same", async () => {
  const cookie = await signIn(service);
  service.clock.elapsed = 0;
  const first = await visit(service, "/games/ember/builds", { cookie });
  const etag = first.headers.get("etag") ?? "";
  const again = { cookie, headers: { "if-none-match": `W/${etag}` } };
  const second = await visit(service, "/games/ember/builds", again);
  expect([first.status, second.status, second.text]).toEqual([200, 304, ""]);
  const events = [{ id: "1", name: "jump", timestamp: NOW }];
  const sessionMetadata = { gameVersion: "2.0", platform: "x" };
  const body = { gameId: "ember", clientSessionId: "a", sessionMetadata, events };
  const sent = await service.post("/api/telemetry", body);
  expect(sent.status).toBe(202);
  expect((await visit(service, "/games/ember/builds", { cookie })).text).not.toBe(first.text);
  service.clock.elapsed = (service.clock.elapsed ?? 0) + 1000;
  expect((await visit(service, "/games/ember/builds", again)).status).toBe(200);
});

test("pages that ask for changes within a second cost as much as one, but only for readers of the account", async () => {
  const busy = await startConsole();
  await busy.addGame("ember");
  const cookie = await signIn(busy);
  const other = await signIn(busy, (await busy.addAccount("other")).keys.management);
  busy.clock.elapsed = 0;
  const path = "/games/ember/sessions";
  const headers = { "if-none-match": '"x"' };
  const before = await visit(busy, path, { cookie, headers });
  const events = [{ id: "1", name: "jump", timestamp: NOW }];
  await busy.post("/api/telemetry", { gameId: "ember", clientSessionId: "a", events });
  expect((await visit(busy, path, { cookie, headers })).text).toBe(before.text);
  expect((await visit(busy, path, { cookie: other, headers })).status).toBe(404);
  busy.clock.elapsed = 1000;
  expect((await visit(busy, path, { cookie, headers })).text).not.toBe(before.text);
  await busy.stop();
});

test("without the console, the server has no pages", async () => {
  const plain = await startTestService();
  for (const path of ["/", "/sign-in", "/games"]) expect((await visit(plain, path)).status).toBe(404);
  await plain.stop();
});

test("reading pages does not use up the rate limit of the key", async () => {
  const limited = await startConsole({
    limits: { ...defaultRateLimits, key: { points: 2, seconds: 60 }, page: { points: 5, seconds: 60 } },
  });
  const cookie = await signIn(limited);
  const statuses = [];
  for (let at = 0; at < 6; at += 1) statuses.push((await visit(limited, "/", { cookie })).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  expect((await limited.get("/api/v1/games")).status).toBe(200);
  await limited.stop();
});
