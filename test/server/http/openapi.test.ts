/** The endpoint /openapi.json. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { openApiText } from "../../../src/server/http/openapi.prepared.ts";
import { send, startTestService, type TestService } from "../../harness.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.stop());

const ask = (method: string, path = "/openapi.json", headers: Record<string, string> = {}) =>
  send(service.app, path, { method, headers });

it("returns the document, without a key or with any key", async () => {
  for (const headers of [{}, { authorization: "Bearer x" }]) {
    const answer = await ask("GET", "/openapi.json?colour=red", headers);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json\b/);
    expect(answer.headers.get("x-request-id")).toMatch(/\S/);
    expect(answer.headers.get("allow")).toBeNull();
    expect(answer.text).toBe(openApiText);
  }
});

it("supports HEAD and OPTIONS, and rejects other methods", async () => {
  const [get, head, options] = [await ask("GET"), await ask("HEAD"), await ask("OPTIONS")];
  expect([head.status, head.text]).toEqual([200, ""]);
  expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(get.text)));
  expect([options.status, options.text]).toEqual([204, ""]);
  expect(options.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  expect(options.headers.get("content-type")).toBeNull();
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "PURGE"]) {
    const answer = await ask(method);
    expect([answer.status, answer.text]).toEqual([405, '{"error":"Method not allowed"}']);
    expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  }
});

it.each(["/openapi.json/", "/openapi", "/OpenAPI.json", "/openapi.json/x", "//openapi.json"])(
  "%s does not exist",
  async (path) => {
    const answer = await ask("GET", path);
    expect([answer.status, answer.text]).toEqual([404, '{"error":"Not found"}']);
  },
);

it("checks the Host, and counts toward the limit of the address", async () => {
  expect((await ask("GET", "/openapi.json", { host: "evil.example" })).status).toBe(421);
  const wide = { points: 99, seconds: 60 };
  const limited = await startTestService({
    limits: { key: wide, telemetry: wide, ip: { points: 1, seconds: 60 } },
  });
  expect((await send(limited.app, "/openapi.json", { method: "GET" })).status).toBe(200);
  const refused = await send(limited.app, "/openapi.json", { method: "GET" });
  expect([refused.status, refused.json.scope]).toEqual([429, "ip"]);
  await limited.stop();
});

it("does not report any errors", () => {
  expect(service.faults).toEqual([]);
});
