/** Health checks of load balancers: by IP address, without a key, and without rate limits. */
import { request } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ListeningServer, listen } from "../../../src/server/http/listen.ts";
import { startTestService, type TestService } from "../../harness.ts";

let service: TestService;
let listening: ListeningServer;

beforeEach(async () => {
  const rate = { points: 2, seconds: 60 };
  service = await startTestService({ limits: { key: rate, ip: rate, telemetry: rate } });
  listening = await listen(service.app, { host: "127.0.0.1", port: 0 });
});

afterEach(async () => {
  await listening.close();
  await service.stop();
});

interface Probe {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

function probe(path: string, host = "127.0.0.1", method = "GET"): Promise<Probe> {
  return new Promise((resolve, reject) => {
    const outgoing = request(listening.url + path, { method, headers: { host } }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk) => chunks.push(chunk));
      incoming.on("end", () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

it.each(["/healthz", "/readyz"])("%s needs no key, and accepts any Host header", async (path) => {
  for (const host of ["127.0.0.1", "10.1.2.3:4400", "elsewhere.example"]) {
    const { status, headers, text } = await probe(path, host);
    expect([status, text]).toEqual([200, '{"status":"ok"}']);
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  }
  expect((await probe("/openapi.json", "elsewhere.example")).status).toBe(421);
});

it.each(["/healthz", "/readyz"])("%s only allows GET and HEAD", async (path) => {
  const head = await probe(path, "any", "HEAD");
  expect([head.status, head.text, head.headers["content-length"]]).toEqual([200, "", "15"]);
  for (const method of ["POST", "DELETE", "OPTIONS", "PUT"]) {
    const { status, headers, text } = await probe(path, "any", method);
    expect([method, status, headers.allow, text]).toEqual([
      method,
      405,
      "GET, HEAD",
      '{"error":"Method not allowed"}',
    ]);
  }
});

it("is not subject to rate limits", async () => {
  for (let n = 0; n < 5; n += 1) expect((await probe("/readyz")).status).toBe(200);
  expect((await probe("/openapi.json")).status).toBe(200);
  expect((await probe("/openapi.json")).status).toBe(200);
  expect((await probe("/openapi.json")).status).toBe(429);
  expect((await probe("/healthz")).status).toBe(200);
});

it("is not part of the OpenAPI document, and has no other paths", async () => {
  const { text } = await probe("/openapi.json");
  expect(text).not.toMatch(/healthz|readyz|"\/metrics/);
  for (const path of ["/healthz/", "/readyz/x", "/Healthz"]) expect((await probe(path)).status).not.toBe(200);
});

it("reports unready once shutdown is requested, but keeps responding", async () => {
  service.drain();
  const { status, text } = await probe("/readyz");
  expect([status, text]).toEqual([503, '{"status":"unready","reason":"stopping"}']);
  expect((await probe("/healthz")).status).toBe(200);
  expect((await probe("/openapi.json")).status).toBe(200);
});

it("closes connections while it drains, and keeps them alive before", async () => {
  expect((await probe("/openapi.json")).headers.connection).toBe("keep-alive");
  service.drain();
  for (const path of ["/openapi.json", "/api/v1/games", "/nowhere", "/healthz"])
    expect([path, (await probe(path)).headers.connection]).toEqual([path, "close"]);
});

it("reports unready if the database does not respond, but stays alive", async () => {
  const other = await startTestService();
  await other.service.store.close();
  const answer = await other.get("/readyz", { key: null });
  expect([answer.status, answer.json]).toEqual([503, { status: "unready", reason: "database" }]);
  expect((await other.get("/healthz", { key: null })).status).toBe(200);
});
