/** Tests of one request of a webhook, over real sockets: signature, response, limits and refused addresses. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sendWebhook } from "../../src/webhooks/send.ts";
import { createSecret, isSecret, signHeaders } from "../../src/webhooks/signature.ts";
import { breakOff, isSigned, type Receiver, startReceiver, status } from "./receiver.ts";

const NOW = Date.UTC(2026, 2, 1, 12);
const secret = createSecret();

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const send = (more: object = {}, options: object = {}) =>
  sendWebhook(
    { url: receiver.url, id: "evt_1", body: '{"a":1}', secrets: [secret], ...more },
    { now: NOW, ...options },
  );

test("a signature matches the example of the specification", () => {
  const example = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: '{"test": 2432232314}' };
  expect(signHeaders(example, ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"], 1_614_265_330_000)).toEqual({
    "webhook-id": example.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("secrets are random, and only complete ones are accepted", () => {
  expect(isSecret(secret)).toBe(true);
  expect(createSecret()).not.toBe(secret);
  for (const text of ["", "whsec_", secret.slice(6), `${secret}\n`, "whsec_AAAA"])
    expect(isSecret(text)).toBe(false);
});

test("a request is signed, and its response is returned", async () => {
  receiver.reply(status(202, { "retry-after": "3" }, "thanks"));
  expect(await send()).toEqual({ status: 202, text: "thanks", retryAfterMs: 3000 });
  const [request] = receiver.requests;
  expect(request?.headers).toMatchObject({ "content-type": "application/json", "webhook-id": "evt_1" });
  expect(request && (await isSigned(request, secret))).toBe(true);
  expect(request && (await isSigned({ ...request, body: '{"a":2}' }, secret))).toBe(false);
  expect(request && (await isSigned(request, createSecret()))).toBe(false);
});

test("a request without a secret is not signed", async () => {
  await send({ secrets: [] });
  expect(receiver.requests[0]?.headers).not.toHaveProperty("webhook-signature");
});

test("only the start of a long response is read", async () => {
  receiver.reply((response) => {
    response.writeHead(200);
    const write = () =>
      void (response.destroyed || response.write("x".repeat(10_000), () => setImmediate(write)));
    write();
  });
  expect(await send()).toMatchObject({ status: 200, text: "x".repeat(2000) });
});

test("redirects are not followed", async () => {
  receiver.reply(status(307, { location: "/elsewhere" }));
  expect(await send()).toMatchObject({ status: 307 });
  expect(receiver.requests).toHaveLength(1);
});

test.each([
  "http://169.254.169.254/latest",
  "http://[fe80::1]/",
  "http://[::ffff:169.254.169.254]/",
  "ftp://127.0.0.1/",
])("refuses %s", async (url) => {
  await expect(send({ url })).rejects.toMatchObject({ fault: "refused_address" });
});

test("a receiver that never responds, breaks off or is down is an error that does not name the URL", async () => {
  receiver.reply(() => {});
  await expect(send({}, { timeoutMs: 50 })).rejects.toMatchObject({ fault: "timeout" });
  receiver.reply(breakOff);
  await expect(send()).rejects.toMatchObject({ fault: "connection" });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const url = `http://127.0.0.1:${port}/secret`;
  const error = await send({ url }).catch((fault: unknown) => fault);
  expect(error).toMatchObject({ fault: "connection", message: "Cannot connect (ECONNREFUSED)" });
});

test("a signal aborts a request", async () => {
  const controller = new AbortController();
  receiver.reply(() => controller.abort(new Error("stop")));
  await expect(send({}, { signal: controller.signal })).rejects.toThrow("stop");
});
