/** Slow and idle clients, and too many of them: each is cut off, and those who behave are answered meanwhile. */
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ListeningServer, listen } from "../../src/server/http/listen.ts";
import { applyTimeouts, defaultTimeouts } from "../../src/server/http/timeouts.ts";
import { startTestService, type TestService } from "../harness.ts";

/** Short waits, so that a test sees them end. */
const patience = { headersMs: 200, requestMs: 500, idleMs: 200, responseMs: 300, checkIntervalMs: 50 };

let service: TestService;
let listening: ListeningServer;
const sockets: Socket[] = [];

beforeEach(async () => {
  service = await startTestService();
  await service.addGame("maze");
  listening = await listen(service.app, {
    host: "127.0.0.1",
    port: 0,
    timeouts: patience,
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

/** All that a socket is told until it is closed. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(socket, "close");
  return text;
}

async function expectAnswers(): Promise<void> {
  const response = await fetch(`${listening.url}/healthz`, { headers: { connection: "close" } });
  expect(response.status).toBe(200);
}

const HEAD = "POST /api/telemetry HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

it("a connection on which nothing comes is closed", async () => {
  expect(await untilClosed(open())).toMatch(/^HTTP\/1\.1 408 /);
});

it("headers that drip are refused with 408", async () => {
  const socket = open();
  socket.write("GET /api/v1/games HTTP/1.1\r\nHost: localhost\r\n");
  const drip = setInterval(() => socket.write("X-Drip: 1\r\n"), 20);
  const told = await untilClosed(socket);
  clearInterval(drip);
  expect(told).toMatch(/^HTTP\/1\.1 408 [\s\S]*\{"error":"The request did not arrive in time"\}$/);
});

it("a body that drips is cut off, and nothing of it is stored", async () => {
  const socket = open();
  const key = `Authorization: Bearer ${service.keys.ingest}\r\n`;
  socket.write(`${HEAD}${key}Content-Length: 1000\r\n\r\n{"gameId":"maze"`);
  const drip = setInterval(() => socket.write(" "), 20);
  const told = await untilClosed(socket);
  clearInterval(drip);
  expect(told === "" || /^HTTP\/1\.1 408 /.test(told)).toBe(true);
  expect((await service.get("/api/v1/sessions")).json.total).toBe(0);
  // What it held is given back.
  await expectAnswers();
});

it("an idle connection is closed", async () => {
  const socket = open();
  socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 200 /);
});

it("an answer that nobody reads is let go", async () => {
  const server = createServer();
  applyTimeouts(server, { ...defaultTimeouts, ...patience }, 10);
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
  await untilClosed(socket.resume());
  expect(socket.bytesRead).toBeLessThan(50_000_000);
  server.close();
});

it("an answer that is read slowly, but within its time, is whole", async () => {
  const response = await fetch(`${listening.url}/openapi.json`);
  const whole = await response.text();
  const socket = open();
  socket.pause();
  socket.write("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await untilClosed(socket.resume())).toContain(whole);
});

it("more connections than there may be are refused, and idle ones make room", async () => {
  const bounds = { timeouts: { ...patience, idleMs: 60_000 }, maxConnections: 20 };
  const full = await listen(service.app, { host: "127.0.0.1", port: 0, ...bounds });
  const ask = () => {
    const socket = connect(full.port, "127.0.0.1");
    socket.on("error", () => {});
    sockets.push(socket);
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return socket;
  };
  const idle = Array.from({ length: 20 }, ask);
  await Promise.all(idle.map((socket) => once(socket, "data")));
  const refused = ask();
  expect(await untilClosed(refused)).toBe("");
  await Promise.all(idle.map((socket) => (socket.closed ? null : untilClosed(socket))));
  expect((await fetch(`${full.url}/healthz`)).status).toBe(200);
  await full.close();
});
