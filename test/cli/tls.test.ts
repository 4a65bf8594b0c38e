/** Tests over TLS: a certificate must be trusted by the system or by NODE_EXTRA_CA_CERTS. */
import { afterEach, describe, expect, test } from "vitest";
import { createPage, responseBodies, SESSION } from "../client/response-fixtures.ts";
import { EXPIRED, OTHER_HOST, SELF_SIGNED, serveSelfSigned, type TestListener } from "../client/sockets.ts";
import { playtest } from "./program.ts";

let served: TestListener | null = null;
afterEach(async () => {
  await served?.close();
  served = null;
});

async function start(certificate = SELF_SIGNED): Promise<Record<string, string>> {
  served = await serveSelfSigned((request, response) => {
    const isList = request.url?.startsWith("/api/v1/sessions");
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(isList ? createPage([SESSION]) : responseBodies.listGames));
  }, certificate);
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

describe("a certificate that is rejected is not requested again", () => {
  test.each([
    [
      "self-signed",
      SELF_SIGNED,
      undefined,
      "is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)",
      "NODE_EXTRA_CA_CERTS",
    ],
    ["expired", EXPIRED, EXPIRED, "has expired (CERT_HAS_EXPIRED)", "Renew the certificate"],
    [
      "for another host",
      OTHER_HOST,
      OTHER_HOST,
      "is for another host name",
      "Use a base URL with a host name",
    ],
  ])("%s", async (_what, certificate, trusted, reason, hint) => {
    const env = { ...(await start(certificate)), ...(trusted ? { NODE_EXTRA_CA_CERTS: trusted } : {}) };
    for (const line of ["games list", "sessions list --all"]) {
      const { exitCode, stderr } = await playtest(line.split(" "), { env });
      expect([line, exitCode, stderr]).toEqual([
        line,
        51,
        expect.stringContaining(`its certificate ${reason}`),
      ]);
      expect(stderr).toContain(hint);
      expect(stderr).not.toContain("Retrying");
    }
  });
});
