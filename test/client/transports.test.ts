/** Both transports over real sockets: requests, responses and network errors. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fail } from "../../src/cli/errors.ts";
import type { ClientError } from "../../src/client/errors.ts";
import { httpTransport } from "../../src/client/http-transport.ts";
import type { Transport, TransportRequest } from "../../src/client/transport.ts";
import { createUndiciTransport } from "../../src/client/undici-transport.ts";
import {
  freePort,
  serveHttp,
  serveProxy,
  serveSelfSigned,
  serveSilence,
  type TestListener,
} from "./sockets.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function http(...[listener]: Parameters<typeof serveHttp>): Promise<TestListener> {
  const served = await serveHttp(listener);
  closers.push(served.close);
  return served;
}

function pooled(proxy: Parameters<typeof createUndiciTransport>[0] = {}, connectMs = 5000): Transport {
  const pool = createUndiciTransport(proxy, connectMs);
  closers.push(pool.close);
  return pool.send;
}

const requestTo = (port: number, overrides: Partial<TransportRequest> = {}): TransportRequest => ({
  method: "GET",
  url: `http://127.0.0.1:${port}/api/v1/games?x=1`,
  headers: { accept: "application/json" },
  timeoutMs: 5000,
  ...overrides,
});

/** Waits for the error of a request. */
const catchError = async (response: Promise<unknown>): Promise<ClientError> =>
  await response.then(
    () => expect.fail("The request succeeded"),
    (error: ClientError) => error,
  );

describe.each([
  ["httpTransport", () => httpTransport],
  ["undiciTransport", () => pooled({}, 200)],
])("%s", (_name, make) => {
  let transport: Transport;
  beforeEach(() => {
    transport = make();
  });

  test("sends method, target, headers and body, and returns status, headers and body", async () => {
    let received = "";
    const { port, requests } = await http(async (request, response) => {
      for await (const chunk of request) received += chunk;
      received += ` ${request.headers["x-mine"]} ${request.headers["content-length"]}`;
      response.writeHead(418, { "X-Request-Id": "r1", "set-cookie": ["a=1", "b=2"] });
      response.end("é🔥");
    });
    const body = '{"é":1}';
    const result = await transport(requestTo(port, { method: "POST", headers: { "x-mine": "y" }, body }));
    expect(requests).toEqual(["POST /api/v1/games?x=1"]);
    expect(received).toBe(`${body} y 8`);
    expect(result).toMatchObject({ status: 418, body: "é🔥", headers: { "x-request-id": "r1" } });
  });

  test("sends bytes unchanged", async () => {
    const { port } = await http(async (request, response) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) chunks.push(chunk);
      response.end(Buffer.concat(chunks).toString("hex"));
    });
    const bytes = new Uint8Array([0, 255, 31, 139]);
    const result = await transport(requestTo(port, { method: "POST", body: bytes }));
    expect(result.body).toBe("00ff1f8b");
  });

  test("decodes a character that is split between chunks, and invalid bytes as U+FFFD", async () => {
    const { port } = await http((_request, response) => {
      response.write(Buffer.from([0x22, 0xc3]), () => {
        response.end(Buffer.from([0xa9, 0x22, 0xff, 0xfe]));
      });
    });
    expect((await transport(requestTo(port))).body).toBe('"é"\ufffd\ufffd');
  });

  test("does not follow redirects", async () => {
    const other = await http((_request, response) => response.end("taken"));
    const { port } = await http((_request, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${other.port}/` });
      response.end();
    });
    expect((await transport(requestTo(port))).status).toBe(302);
    expect(other.requests).toEqual([]);
  });

  test("times out if the service sends no headers", async () => {
    const { port } = await http(() => {});
    const error = await catchError(transport(requestTo(port, { timeoutMs: 150 })));
    expect([error.code, error.message]).toEqual([
      "timeout",
      expect.stringContaining(`http://127.0.0.1:${port} did not respond`),
    ]);
  });

  test("times out if the service never finishes the handshake", async () => {
    const served = await serveSilence();
    closers.push(served.close);
    const url = `https://127.0.0.1:${served.port}/`;
    expect((await catchError(transport(requestTo(0, { url, timeoutMs: 200 })))).code).toBe("timeout");
  });

  test("times out if the service stops within the body", async () => {
    const { port } = await http((_request, response) => void response.write('{"games":'));
    const error = await catchError(transport(requestTo(port, { timeoutMs: 150 })));
    expect(error.code).toBe("timeout");
  });

  test("names the address of a port without a listener", async () => {
    const port = await freePort();
    const error = await catchError(transport(requestTo(port)));
    expect([error.code, error.message]).toEqual([
      "network",
      `Cannot reach http://127.0.0.1:${port}: connection refused`,
    ]);
  });

  test.each([
    ["before the headers", (socket: { destroy(): void }) => socket.destroy()],
    [
      "within the body",
      (socket: { destroy(): void }, write: (text: string, then: () => void) => void) =>
        write('{"games":', () => socket.destroy()),
    ],
  ])("reports a connection closed %s as a network error", async (_when, closeSocket) => {
    const { port } = await http((request, response) => {
      response.on("error", () => {});
      closeSocket(request.socket, (text, then) => {
        response.writeHead(200, { "content-length": "500" });
        response.write(text, then);
      });
    });
    const error = await catchError(transport(requestTo(port)));
    expect(error.code).toBe("network");
    expect(error.message).toBe(`Cannot reach http://127.0.0.1:${port}: the connection was closed`);
  });

  test("ends with the reason of the signal, both before and during the response", async () => {
    for (const hasStarted of [false, true]) {
      const controller = new AbortController();
      const reason = fail("interrupted");
      const { port } = await http((_request, response) => {
        if (hasStarted) response.write("{");
        setTimeout(() => controller.abort(reason), 20);
      });
      expect(await catchError(transport(requestTo(port, { signal: controller.signal })))).toBe(reason);
    }
  });

  test("reports a response that is not HTTP as a network error", async () => {
    const { port } = await http((request) => void request.socket.end("SSH-2.0-OpenSSH\r\n\r\n"));
    expect((await catchError(transport(requestTo(port)))).code).toBe("network");
  });

  test("rejects a self-signed certificate, with a hint how to trust it", async () => {
    const served = await serveSelfSigned((_request, response) => response.end("{}"));
    closers.push(served.close);
    const error = await catchError(
      transport(requestTo(served.port, { url: `https://127.0.0.1:${served.port}/` })),
    );
    expect(error.code).toBe("network");
    expect(error.message).toMatch(/its certificate is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
    expect(error.hint).toContain("NODE_EXTRA_CA_CERTS");
  });
});

describe("proxies", () => {
  async function startProxyAndTarget() {
    const target = await http((_request, response) => response.end(JSON.stringify({ by: "target" })));
    const proxy = await serveProxy(target.port);
    closers.push(proxy.close);
    return { target, proxy, address: `http://127.0.0.1:${proxy.port}` };
  }

  test("are used for other hosts", async () => {
    const { proxy, address, target } = await startProxyAndTarget();
    const send = pooled({ httpProxy: address });
    await send(requestTo(0, { url: "http://studio.test/api/v1/games" }));
    expect([...proxy.requests, ...target.requests].join(" ")).toMatch(/studio\.test/);
    expect(proxy.requests).toHaveLength(1);
  });

  test("tunnel https, so that they never see the key", async () => {
    const { proxy, address } = await startProxyAndTarget();
    const send = pooled({ httpsProxy: address });
    const error = await catchError(send(requestTo(0, { url: "https://studio.test/api" })));
    expect([error.code, proxy.requests]).toEqual(["network", ["CONNECT studio.test:443"]]);
  });

  test.each(["127.0.0.1", "localhost"])("are bypassed for %s", async (host) => {
    const { proxy, address, target } = await startProxyAndTarget();
    for (const noProxy of [undefined, "", "other.test"]) {
      const send = pooled({ httpProxy: address, httpsProxy: address, noProxy });
      await send(requestTo(0, { url: `http://${host}:${target.port}/` }));
    }
    expect([proxy.requests.length, target.requests.length]).toEqual([0, 3]);
  });

  test.each(["studio.test", ".test", "*", "a.test, studio.test"])(
    "are bypassed with NO_PROXY=%s",
    async (noProxy) => {
      const { proxy, address } = await startProxyAndTarget();
      const error = await catchError(
        pooled({ httpProxy: address, noProxy })(requestTo(0, { url: "http://studio.test/" })),
      );
      expect([error.code, proxy.requests]).toEqual(["network", []]);
    },
  );

  test("that are down cause a network error", async () => {
    const send = pooled({ httpProxy: `http://127.0.0.1:${await freePort()}` });
    expect((await catchError(send(requestTo(0, { url: "http://studio.test/" })))).code).toBe("network");
  });
});

test("the pool reuses its connections", async () => {
  const ports = new Set<number | undefined>();
  const { port } = await http((request, response) => {
    ports.add(request.socket.remotePort);
    response.end("{}");
  });
  const send = pooled();
  for (let sent = 0; sent < 20; sent += 1) await send(requestTo(port));
  expect(ports.size).toBeLessThan(5);
});
