/** What games in a browser may request from another origin. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { send, startTestService, type TestService } from "../../harness.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("maze");
});

afterAll(() => service.stop());

const preflight = (path: string, method: string, requested: string) =>
  send(service.app, path, {
    method: "OPTIONS",
    headers: {
      origin: "https://play.example",
      "access-control-request-method": method,
      "access-control-request-headers": requested,
    },
  });

it.each([
  ["POST", "/api/telemetry"],
  ["POST", "/api/telemetry/feedback"],
  ["POST", "/api/telemetry/claim"],
  ["DELETE", "/api/telemetry/claim"],
  ["GET", "/api/telemetry/tester"],
  ["GET", "/api/telemetry/resolve"],
  ["GET", "/api/telemetry/experiments"],
  ["GET", "/api/v1/games/maze/event-config"],
])("allows %s %s with the headers of an SDK", async (method, path) => {
  const answer = await preflight(
    path,
    method,
    "authorization,content-type,x-studio-environment,x-studio-sdk",
  );
  expect(answer.status).toBe(204);
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.get("access-control-allow-methods")).toContain(method);
  expect(answer.headers.get("access-control-allow-headers")).toBe(
    "Authorization, Content-Type, Content-Encoding, x-studio-environment, x-studio-sdk",
  );
  expect(answer.headers.get("vary")).toBe("Access-Control-Request-Headers");
});

it("allows no other headers", async () => {
  const requested = `x-secret, cookie, x-a\tb-sdk, ${"x-a-sdk,".repeat(100)}`;
  const answer = await preflight("/api/telemetry", "POST", requested);
  expect(answer.headers.get("access-control-allow-headers")).toBe(
    `Authorization, Content-Type, Content-Encoding${", x-a-sdk".repeat(10)}`,
  );
});

it("lets pages of other origins read the event config, and no other data of the management API", async () => {
  const read = (path: string) => service.get(path, { headers: { origin: "https://play.example" } });
  const config = await read("/api/v1/games/maze/event-config");
  expect([config.status, config.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  const missing = await service.get("/api/v1/games/maze/event-config", { key: null });
  expect([missing.status, missing.headers.get("access-control-allow-origin")]).toEqual([401, "*"]);
  for (const path of ["/api/v1/games", "/api/v1/games/maze", "/api/v1/games/maze/experiments"]) {
    expect((await read(path)).headers.get("access-control-allow-origin")).toBeNull();
    expect((await preflight(path, "GET", "authorization")).status).toBe(401);
  }
});
