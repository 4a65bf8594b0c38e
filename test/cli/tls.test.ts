/** Tests over TLS: a certificate must be trusted by the system or by NODE_EXTRA_CA_CERTS. */
import { afterEach, expect, test } from "vitest";
import { createPage, responseBodies, SESSION } from "../client/response-fixtures.ts";
import { SELF_SIGNED, serveSelfSigned, type TestListener } from "../client/sockets.ts";
import { playtest } from "./program.ts";

let served: TestListener | null = null;
afterEach(async () => {
  await served?.close();
  served = null;
});

async function start(): Promise<Record<string, string>> {
  served = await serveSelfSigned((request, response) => {
    const isList = request.url?.startsWith("/api/v1/sessions");
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(isList ? createPage([SESSION]) : responseBodies.listGames));
  });
  return { PLAYTEST_BASE_URL: `https://localhost:${served.port}`, PLAYTEST_KEY: "k" };
}

// The first command sends one request with node:https, the second sends many with undici.
test.each(["games list", "sessions list --all"])("%s trusts a CA that the user names", async (line) => {
  const env = await start();
  const argv = [...line.split(" "), "--json", "--max-wait", "0"];
  const refused = await playtest([...argv, "--timeout", "5s"], { env });
  expect(refused.exitCode).toBe(51);
  expect(refused.stderr).toContain("its certificate is not trusted");
  expect(refused.stderr).toContain("NODE_EXTRA_CA_CERTS");
  const trusted = await playtest(argv, { env: { ...env, NODE_EXTRA_CA_CERTS: SELF_SIGNED } });
  expect([trusted.exitCode, trusted.stderr]).toEqual([0, ""]);
  expect(JSON.parse(String(trusted.stdout))).toBeTruthy();
});
