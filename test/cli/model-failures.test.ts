/** A running server whose AI model provider fails: the log and the metrics show its status, and nothing shows its key. */
import { expect, test } from "vitest";
import { copyDemo } from "./demo.ts";
import { listening, playtest, startServer } from "./program.ts";

const PROVIDER_KEY = "sk-of-the-provider";

test.each([
  ["text", /AI model of account user_\w+ failed: The model service returned status 401\n/],
  ["json", /"event":"model","accountId":"user_\w+","reason":"unavailable","status":401,/],
])(
  "the status of a failing provider is in the %s log, in the metrics and on the command line",
  async (format, logged) => {
    const keys: unknown[] = [];
    const port = await listening(({ headers }, response) => {
      keys.push(headers.authorization);
      response.writeHead(401).end(JSON.stringify({ error: `Incorrect key: ${PROVIDER_KEY}` }));
    });
    const { database, filledBy } = await copyDemo("studio");
    const flags = ["--port", "0", "--metrics", "--log-format", format, "--database", database];
    const { ready, child } = await startServer(flags);
    const set = ["admin", "providers", "set", "--url", `http://127.0.0.1:${port}/v1`, "--model", "m"];
    const stored = await playtest([...set, "--database", database], {
      env: { PLAYTEST_PROVIDER_KEY: PROVIDER_KEY },
    });
    expect([stored.exitCode, stored.stderr]).toEqual([0, ""]);
    const env = { PLAYTEST_BASE_URL: ready.url, PLAYTEST_KEY: filledBy.keys.management };
    const shown = await playtest(["builds", "suggestions", "0.9.0", "--game", "ember"], { env });
    expect([shown.exitCode, shown.stderr]).toEqual([0, ""]);
    expect(String(shown.stdout).replaceAll(/\s+/g, " ")).toContain(
      "Written by rules, because the provider of the AI model answered with status 401.",
    );
    const metrics = await (await fetch(`${ready.url}/metrics`)).text();
    expect(metrics).toMatch(/playtest_model_failures_total\{reason="unavailable",status="401"\} [1-9]/);
    child.kill("SIGTERM");
    const { stderr } = await child;
    expect(keys[0]).toBe(`Bearer ${PROVIDER_KEY}`);
    expect(stderr).toMatch(logged);
    expect(`${stderr}${shown.stdout}${metrics}`).not.toContain(PROVIDER_KEY);
  },
);
