/** People whom a proxy has signed in, and addresses that pretend to be the proxy. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultRateLimits } from "../../src/server/http/rate-limits.ts";
import { isNetwork } from "../../src/server/http/trusted-identity.ts";
import { send, type TestService } from "../harness.ts";
import { BROWSER, startConsole, submit } from "./harness.ts";

const identity = { header: "X-Forwarded-User", proxies: ["10.0.0.5", "fd00::/64"] };

let service: TestService;

beforeAll(async () => {
  service = await startConsole({ console: { identity } });
  await service.addGame("ember");
});

afterAll(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

const open = async (address: string, headers: Record<string, string> = {}, path = "/") =>
  await send(service.app, path, { headers: { ...BROWSER, ...headers } }, address);

test.each(["10.0.0.5", "::ffff:10.0.0.5", "fd00::1"])(
  "the proxy %s signs people in without a key",
  async (address) => {
    const { status, text } = await open(address, { "x-forwarded-user": "ada@studio.example" });
    expect(status).toBe(200);
    expect(text).toContain("ember");
    expect(text).toContain("ada@studio.example");
    expect(text).not.toContain("/sign-out");
  },
);

test.each(["10.0.0.6", "::ffff:10.0.0.6", "127.0.0.1", "fd01::1", "unknown"])(
  "the header from %s is refused",
  async (address) => {
    const { status, text } = await open(address, {
      "x-forwarded-user": "ada",
      "x-forwarded-for": "10.0.0.5",
    });
    expect(status).toBe(403);
    expect(text).toContain("only through the proxy");
    expect(text).not.toContain("ember");
  },
);

test("refused requests count toward the limit of their address", async () => {
  const limits = { ...defaultRateLimits, ip: { points: 2, seconds: 60 } };
  const limited = await startConsole({ console: { identity }, limits });
  const statuses = [];
  for (let at = 0; at < 3; at += 1)
    statuses.push((await send(limited.app, "/", { headers: BROWSER }, "10.0.0.6")).status);
  expect(statuses).toEqual([403, 403, 429]);
  await limited.stop();
});

test("the proxy must name the person", async () => {
  for (const headers of [{}, { "x-forwarded-user": " " }]) {
    const { status, text } = await open("10.0.0.5", headers as Record<string, string>);
    expect(status).toBe(403);
    expect(text).toContain("X-Forwarded-User");
  }
});

test("a name is shown as text, and never kept", async () => {
  const name = `<b>"ada"</b>${"x".repeat(500)}`;
  const { text, status } = await open("10.0.0.5", { "x-forwarded-user": name });
  expect(status).toBe(200);
  expect(text).toContain("&lt;b&gt;");
  const rows = await service.service.store.readDb.selectFrom("console_sessions").selectAll().execute();
  expect(rows).toEqual([]);
});

test("nobody can sign in with a key, and the API still requires one", async () => {
  const { status } = await submit(service, "/sign-in", { key: service.keys.management });
  expect(status).toBe(403);
  const headers = { "x-forwarded-user": "ada" };
  expect((await send(service.app, "/api/v1/games", { headers }, "10.0.0.5")).status).toBe(401);
});

test("without these settings, the header means nothing", async () => {
  const plain = await startConsole();
  const answer = await send(
    plain.app,
    "/",
    { headers: { ...BROWSER, "x-forwarded-user": "ada" } },
    "10.0.0.5",
  );
  expect(answer.status).toBe(401);
  await plain.stop();
});

test("with several accounts, nobody is signed in", async () => {
  const several = await startConsole({ console: { identity } });
  await several.addAccount("other");
  const headers = { ...BROWSER, "x-forwarded-user": "ada" };
  const { status, text } = await send(several.app, "/", { headers }, "10.0.0.5");
  expect([status, text.includes("exactly one account")]).toEqual([403, true]);
  await several.stop();
});

describe("a proxy", () => {
  test.each(["10.0.0.5", "10.0.0.0/8", "::1", "fd00::/8"])("can be %s", (text) => {
    expect(isNetwork(text)).toBe(true);
  });

  test.each([
    "",
    "proxy.internal",
    "10.0.0",
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/8/8",
    "10.0.0.5/",
    "10.0.0.5/-1",
  ])("cannot be %j", (text) => {
    expect(isNetwork(text)).toBe(false);
  });
});
