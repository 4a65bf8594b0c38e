/** How many requests an answer about two builds costs at a service that computes scorecards, and at others. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport.ts";
import { defaultRateLimits } from "../../src/server/http/rate-limits.ts";
import { startDemo } from "../cli/demo.ts";
import { withoutExtensions } from "../document-service.ts";
import { createAppTransport, freshFolder, NOW, runCli, type TestService } from "../harness.ts";

let service: TestService;
beforeAll(async () => {
  service = await startDemo("studio");
});
afterAll(() => service.stop());

/** The paths that a command requests, with their queries. */
async function count(line: string, wrap = (transport: Transport): Transport => transport): Promise<string[]> {
  const paths: string[] = [];
  const transport = wrap(createAppTransport(service.app));
  const counting: Transport = (request) => {
    const { pathname, search } = new URL(request.url);
    paths.push(`${pathname}${search}`);
    return transport(request);
  };
  const { code } = await runCli([...line.split(" "), "--game", "ember"], {
    ...{ service, transport: counting, clock: { now: NOW } },
  });
  expect([0, 10]).toContain(code);
  return paths;
}

describe("a service that computes scorecards", () => {
  test.each([
    ["builds compare 0.8.0 0.9.0", 4],
    ["builds compare previous latest", 4],
    ["gate 0.8.0 0.9.0", 5],
    ["gate previous latest", 5],
    ["report 0.8.0 0.9.0", 10],
    ["report previous latest", 10],
  ])("needs for %s at most %i requests", async (line, most) => {
    const paths = await count(line);
    expect(paths.length).toBeLessThanOrEqual(most);
    expect(paths.filter((path) => path.startsWith("/api/v1/scorecards/ember?"))).toHaveLength(1);
  });
});

test("nobody who types waits for the rate limit: two reports and what leads to them", async () => {
  const limited = await startDemo("studio", { limits: defaultRateLimits });
  const cwd = freshFolder();
  for (const line of ["status", "builds compare", "gate", "report --out a.html", "report --out b.html"]) {
    const run = await runCli([...line.split(" "), "--game", "ember"], { service: limited, cwd });
    expect([line, [0, 10].includes(run.code), run.waits]).toEqual([line, true, []]);
  }
  await limited.stop();
});

test("a service that has only the API document gets no request for an extension", async () => {
  for (const line of ["builds compare 0.8.0 0.9.0", "builds compare previous latest", "report 0.8.0 0.9.0"]) {
    const paths = await count(line, withoutExtensions);
    expect(paths.filter((path) => /\/scorecards\/|\/feedback\/|\/facts(\?|$)/.test(path))).toEqual([]);
  }
});

test.each(["builds compare previous latest", "gate previous latest", "report"])(
  "%s requests nothing twice, also where the sessions say which builds there are",
  async (line) => {
    const paths = await count(line, withoutExtensions);
    expect(paths.filter((path, at) => paths.indexOf(path) < at)).toEqual([]);
  },
);
