import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestStore, startTestService, type TestService } from "../../harness.ts";
import { databaseIn, endAll, type RealServer, serve } from "../real-server.ts";
import { eachEndpoint, makeWorld, samples, urlOf, type World } from "../sample-requests.ts";

let service: TestService;
let server: RealServer;
let world: World;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "playtest-workers-"));
  service = await startTestService({ store: await openTestStore(databaseIn(folder)) });
  world = await makeWorld(service, service, "own");
  await service.analysis.drain();
  server = await serve(folder, "server", { flags: ["--now", new Date(service.clock.now).toISOString()] });
});

afterAll(async () => {
  await endAll();
  await service.stop();
});

const reads = eachEndpoint().filter(
  ([, { method, path }]) => method === "GET" && path.startsWith("/api/v1/"),
);

describe("a server with workers", () => {
  it.each(reads)("answers %s as one without workers does", async (name, endpoint) => {
    const path = urlOf(endpoint, samples[name](world));
    const headers = { authorization: `Bearer ${world.keys.management}` };
    const response = await fetch(`${server.url}${path}`, { headers });
    const own = await service.get(path, { key: world.keys.management });
    expect({ status: response.status, text: await response.text() }).toEqual({
      status: own.status,
      text: own.text,
    });
  });

  it("answers what it refuses as one without workers does", async () => {
    const path = "/api/v1/builds/nowhere";
    const headers = { authorization: `Bearer ${world.keys.management}` };
    const response = await fetch(`${server.url}${path}`, { headers });
    expect(response.status).toBe(404);
    expect(await response.text()).toBe((await service.get(path)).text);
  });
});
