/** Requests must have an allowed Host, which prevents DNS rebinding. */
import { afterEach, describe, expect, it } from "vitest";
import { BASE_URL, send, startTestService, type TestService } from "../../harness.ts";

let service: TestService;
afterEach(() => service.stop());

const statusOf = async (host: string) => (await service.get("/api/v1/games", { headers: { host } })).status;

describe("without configured host names", () => {
  it.each(["localhost", "LOCALHOST:4400", "127.0.0.1", "127.0.0.1:1", "127.8.9.1:80", "[::1]", "[::1]:4400"])(
    "accepts %s",
    async (host) => {
      service = await startTestService();
      expect(await statusOf(host)).toBe(200);
    },
  );

  it.each([
    "evil.example",
    "evil.example:4400",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1x",
    "1127.0.0.1",
    "192.168.1.5",
    "0.0.0.0",
    "[::2]",
    "localhost:4400:1",
    "localhost@evil.example",
    "",
    "localhost:x",
  ])("rejects %j", async (host) => {
    service = await startTestService();
    const answer = await service.get("/api/v1/games", { headers: { host } });
    expect([answer.status, answer.text]).toEqual([421, '{"error":"Unknown host"}']);
    expect(answer.headers.get("x-request-id")).toMatch(/\S/);
  });
});

it("accepts configured host names, ignoring case and port", async () => {
  service = await startTestService({ hostNames: ["Play.Example"] });
  for (const host of ["play.example", "PLAY.EXAMPLE:443", "localhost"])
    expect(await statusOf(host)).toBe(200);
  for (const host of ["other.example", "x.play.example", "play.example.com"])
    expect(await statusOf(host)).toBe(421);
});

it("uses the host of the URL if there is no Host header", async () => {
  service = await startTestService();
  expect((await send(service.app, "/api/v1/games", {})).status).toBe(401);
  const elsewhere = new Request(`${BASE_URL.replace("127.0.0.1", "evil.example")}/api/v1/games`);
  expect((await service.app.fetch(elsewhere)).status).toBe(421);
});
