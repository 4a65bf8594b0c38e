/** Slow and idle clients, and too many connections: they are closed, while other clients are served. */
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ListeningServer, listen } from "../../src/server/http/listen.ts";
import { applyTimeouts, defaultTimeouts } from "../../src/server/http/timeouts.ts";
import { startTestService, type TestService } from "../harness.ts";

/** Short timeouts, to keep the tests fast. */
const timeouts = { headersMs: 200, requestMs: 500, idleMs: 200, responseMs: 300, checkIntervalMs: 50 };

let service: TestService;
let listening: ListeningServer;
const sockets: Socket[] = [];

beforeEach(async () => {
  service = await startTestService();
  await service.addGame("maze");
  listening = await listen(service.app, {
    host: "127.0.0.1",
    port: 0,
    timeouts,
    maxConnections: 20,
  });
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await listening.close();
  await service.stop();
  expect(service.faults).toEqual([]);
});

function open(): Socket {
  const socket = connect(listening.port, "127.0.0.1");
  socket.on("error", () => {});
  sockets.push(socket);
  return socket;
}

/** Reads everything that a socket receives until it is closed. */
async function readUntilClosed(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(socket, "close");
  return text;
}

async function expectHealthy(): Promise<void> {
  const response = await fetch(`${listening.url}/healthz`, { headers: { connection: "close" } });
  expect(response.status).toBe(200);
}

const HEAD = "POST /api/telemetry HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

it("closes a connection without a request", async () => {
  expect(await readUntilClosed(open())).toMatch(/^HTTP\/1\.1 408 /);
});

it("refuses slow headers with 408", async () => {
  const socket = open();
  socket.write("GET /api/v1/games HTTP/1.1\r\nHost: localhost\r\n");
  const drip = setInterval(() => socket.write("X-Drip: 1\r\n"), 20);
  const received = await readUntilClosed(socket);
  clearInterval(drip);
  expect(received).toMatch(/^HTTP\/1\.1 408 [\s\S]*\{"error":"The request did not arrive in time"\}$/);
});

it("closes the connection of a slow body, and stores nothing of it", async () => {
  const socket = open();
  const key = `Authorization: Bearer ${service.keys.ingest}\r\n`;
  socket.write(`${HEAD}${key}Content-Length: 1000\r\n\r\n{"gameId":"maze"`);
  const drip = setInterval(() => socket.write(" "), 20);
  const received = await readUntilClosed(socket);
  clearInterval(drip);
  expect(received === "" || /^HTTP\/1\.1 408 /.test(received)).toBe(true);
  expect((await service.get("/api/v1/sessions")).json.total).toBe(0);
  // The memory reserved for the body is free again.
  await expectHealthy();
});

it("closes an idle connection", async () => {
  const socket = open();
  socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect(await readUntilClosed(socket)).toMatch(/^HTTP\/1\.1 200 /);
});

it("closes the connection if the client does not read the response", async () => {
  const server = createServer();
  applyTimeouts(server, { ...defaultTimeouts, ...timeouts }, 10);
  server.on("request", (_request, response) => void response.end("x".repeat(50_000_000)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const connected = once(server, "connection");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket);
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const [accepted] = (await connected) as [Socket];
  await once(accepted, "close");
  await readUntilClosed(socket.resume());
  expect(socket.bytesRead).toBeLessThan(50_000_000);
  server.close();
});

it("completes a response that is read slowly but in time", async () => {
  const response = await fetch(`${listening.url}/openapi.json`);
  const whole = await response.text();
  const socket = open();
  socket.pause();
  socket.write("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await readUntilClosed(socket.resume())).toContain(whole);
});

it("refuses connections above the limit until idle ones are closed", async () => {
  const options = { timeouts: { ...timeouts, idleMs: 60_000 }, maxConnections: 20 };
  const full = await listen(service.app, { host: "127.0.0.1", port: 0, ...options });
  const openAndRequest = () => {
    const socket = connect(full.port, "127.0.0.1");
    socket.on("error", () => {});
    sockets.push(socket);
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return socket;
  };
  const idle = Array.from({ length: 20 }, openAndRequest);
  await Promise.all(idle.map((socket) => once(socket, "data")));
  const refused = openAndRequest();
  expect(await readUntilClosed(refused)).toBe("");
  await Promise.all(idle.map((socket) => (socket.closed ? null : readUntilClosed(socket))));
  expect((await fetch(`${full.url}/healthz`)).status).toBe(200);
  await full.close();
});
