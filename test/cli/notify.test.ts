/** Tests of --notify: the gate and the report send their result to a webhook, and never fail because of it. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createSecret } from "../../src/webhooks/signature.ts";
import { type CliOptions, runCli, type TestService } from "../harness.ts";
import { breakOff, isSigned, type Receiver, startReceiver, status } from "../webhooks/receiver.ts";
import { startDemo } from "./demo.ts";

let service: TestService;
beforeAll(async () => {
  service = await startDemo("studio");
});
afterAll(() => service.stop());

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const run = (command: "gate" | "report", words: string[] = [], options: CliOptions = {}) =>
  runCli([command, "0.8.0", "0.9.0", "-g", "ember", "--notify", receiver.url, ...words], {
    service,
    ...options,
  });

test("the gate sends its verdict, with the rows that failed", async () => {
  const { code, err } = await run("gate");
  expect([code, err]).toEqual([10, expect.not.stringContaining("Warning")]);
  expect(receiver.requests).toHaveLength(1);
  expect(receiver.requests[0]?.headers).not.toHaveProperty("webhook-signature");
  expect(receiver.requests[0]?.json).toMatchObject({
    type: "gate.finished",
    timestamp: new Date(service.clock.now).toISOString(),
    data: {
      game: "ember",
      verdict: "failed",
      a: "0.8.0",
      b: "0.9.0",
      baseUrl: "http://127.0.0.1:4400",
      failed: expect.arrayContaining([
        expect.objectContaining({ id: "confusion:feedback-more", kind: "got_larger" }),
      ]),
    },
  });
});

test("the report sends the verdict after it was written, signed with the secret of the environment", async () => {
  const secret = createSecret();
  const { code, out } = await run("report", [], { env: { PLAYTEST_NOTIFY_SECRET: secret } });
  expect([code, out]).toEqual([0, expect.stringContaining("GATE FAILED")]);
  const [request] = receiver.requests;
  expect(request?.json).toMatchObject({ type: "report.finished", data: { verdict: "failed" } });
  expect(request && (await isSigned(request, secret))).toBe(true);
});

test("a failure is retried with the same id", async () => {
  receiver.reply(status(503), breakOff, status(200));
  const { code, err, waits } = await run("gate");
  expect([code, err]).toEqual([10, expect.not.stringContaining("Warning")]);
  expect(waits).toEqual([1000, 2000]);
  expect(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
});

test("a failure is a warning without the path of the URL, and keeps the exit code", async () => {
  receiver.reply(status(404));
  const refused = await run("gate");
  expect(receiver.requests).toHaveLength(1);
  await receiver.close();
  const down = await run("gate", ["--on-inconclusive", "pass"]);
  for (const { code, err } of [refused, down]) {
    expect(code).toBe(10);
    expect(err).toMatch(/Warning: http:\/\/127\.0\.0\.1:\d+\/… was not notified: /);
    expect(err).not.toContain("/hook");
  }
  expect(refused.err).toContain("it returned status 404");
  expect(down.err).toContain("ECONNREFUSED");
});

test("invalid URLs and secrets are errors before anything is requested", async () => {
  const urls = [
    ["token", "not a URL"],
    ["http://169.254.169.254/token", "metadata address"],
    ["http://example.com/token", "unencrypted"],
  ] as const;
  for (const [url, message] of urls) {
    const words = ["gate", "1", "2", "-g", "ember", "--notify", url];
    const { code, err } = await runCli(words, {
      env: { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k" },
    });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(err).not.toContain("token");
  }
  const { code, err } = await run("gate", [], { env: { PLAYTEST_NOTIFY_SECRET: "hunter2" } });
  expect([code, err]).toEqual([3, expect.stringContaining("PLAYTEST_NOTIFY_SECRET is not a secret")]);
  expect(err).not.toContain("hunter2");
  expect(receiver.requests).toEqual([]);
});
