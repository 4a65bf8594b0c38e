/** Raw HTTP: sends bytes unchanged, parses responses strictly, and parses streams of requests according to RFC 9112. */
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import * as z from "zod";

/** A parsed response. */
export interface WireResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** The form of all errors of the service, without other fields. */
export const errorBody = z.strictObject({
  error: z.string().min(1),
  issues: z
    .array(
      z.strictObject({
        path: z.array(z.union([z.string(), z.number()])),
        code: z.string().min(1),
        message: z.string().min(1),
      }),
    )
    .optional(),
  requiredScope: z.enum(["management", "ingest", "ci"]).optional(),
  requiredEnvironment: z.string().optional(),
  requiresPremium: z.literal(true).optional(),
  /** With a reason: what is wrong, in words. */
  message: z.string().optional(),
  retryAfterMs: z.int().min(0).optional(),
  scope: z.enum(["key", "ip"]).optional(),
  reason: z.string().min(1).optional(),
});

/** Parses all responses in the bytes of a server. Throws if the bytes contain anything else. */
export function parseResponses(
  bytes: string,
  isHead: (index: number) => boolean = () => false,
): WireResponse[] {
  const answers: WireResponse[] = [];
  let rest = bytes;
  while (rest !== "") {
    const end = rest.indexOf("\r\n\r\n");
    const [line = "", ...fields] = rest.slice(0, end).split("\r\n");
    const [, statusText] = /^HTTP\/1\.1 (\d{3}) [^\r\n]+$/.exec(line) ?? [];
    if (end < 0 || statusText === undefined)
      throw new Error(`Not a response: ${JSON.stringify(rest.slice(0, 200))}`);
    const status = Number(statusText);
    const headers = new Map(fields.map((field) => parseHeader(field)));
    rest = rest.slice(end + 4);
    if (status === 100) continue;
    const isEmpty = status === 204 || isHead(answers.length);
    const [body, length] = isEmpty ? ["", 0] : parseBody(rest, headers);
    rest = rest.slice(length);
    answers.push({ status, headers, body });
  }
  return answers;
}

function parseHeader(field: string): [string, string] {
  const [, name = "", value = ""] = /^([!-9;-~]+): ?(.*)$/.exec(field) ?? [];
  if (name === "") throw new Error(`Not a header: ${JSON.stringify(field)}`);
  return [name.toLowerCase(), value];
}

function parseBody(rest: string, headers: ReadonlyMap<string, string>): [body: string, length: number] {
  const contentLength = headers.get("content-length");
  if (contentLength !== undefined) {
    if (!/^\d+$/.test(contentLength) || rest.length < Number(contentLength))
      throw new Error("The response is truncated");
    return [rest.slice(0, Number(contentLength)), Number(contentLength)];
  }
  if (headers.get("transfer-encoding") !== "chunked") throw new Error("The response has no length");
  const chunks = parseChunks(rest);
  if (chunks === null || chunks === "open") throw new Error("The chunks of the response are truncated");
  return [chunks.body, chunks.length];
}

/** Throws if a response is an internal error or does not have the documented form. */
export function expectValidResponse({ status, headers, body }: WireResponse, isHead = false): void {
  expect(status, body).toBeLessThan(500);
  expect(headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  if (status === 204 || isHead) return;
  expect(headers.get("content-type")).toMatch(/^application\/json(; charset=utf-8)?$/);
  const json: unknown = JSON.parse(Buffer.from(body, "latin1").toString());
  if (status >= 400) expect(errorBody.safeParse(json).error).toBeUndefined();
}

/**
 * Sends a string as bytes (one per character), and returns all received bytes when the connection is closed. Ends the
 * client's side when `isEnough` is true for the received bytes. Waits at most `maxMs` milliseconds for the server.
 */
export async function exchange(
  port: number,
  bytes: string,
  isEnough: (received: string) => boolean = () => false,
  maxMs = 5000,
): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  // A server that has rejected the request may close the connection before everything is sent.
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    chunks.push(chunk);
    if (isEnough(Buffer.concat(chunks).toString("latin1"))) socket.end();
  });
  socket.write(Buffer.from(bytes, "latin1"));
  if (isEnough("")) socket.end();
  await Promise.race([closed, sleep(maxMs, undefined, { ref: false })]);
  socket.destroy();
  return Buffer.concat(chunks).toString("latin1");
}

/** The requests in a stream of bytes according to RFC 9112. */
export interface RequestStream {
  /** The targets of all complete requests, in their order. */
  readonly targets: readonly string[];
  /** The target of a request whose body is incomplete or malformed. */
  readonly broken: string | null;
  /** `open`: more requests may follow; `closed`: the last request ends the connection; `malformed`: the rest is not HTTP. */
  readonly end: "open" | "closed" | "malformed";
}

/** Parses a stream of requests. It is strict, except for what RFC 9112 allows a server to ignore and Node ignores. */
export function parseRequests(bytes: string): RequestStream {
  const targets: string[] = [];
  let rest = bytes;
  for (;;) {
    rest = rest.replace(/^[\r\n]+/, "");
    const head = /^([A-Z-]+) +(\S+) +HTTP\/1\.([01])\r\n((?:[!-9;-~]+:[^\r\n]*\r\n)*)\r\n/.exec(rest);
    const finish = (end: RequestStream["end"], broken: string | null = null) => ({ targets, broken, end });
    if (!head) return finish(rest === "" || !/\r\n\r\n/.test(rest) ? "open" : "malformed");
    const [whole, method = "", target = "", minor, fields = ""] = head;
    const headers = fields
      .split("\r\n")
      .slice(0, -1)
      .map((field): [string, string] => {
        const at = field.indexOf(":");
        return [field.slice(0, at).toLowerCase(), field.slice(at + 1).trim()];
      });
    const all = (name: string) => headers.filter(([header]) => header === name).map(([, value]) => value);
    rest = rest.slice(whole.length);
    const body = measureBody(rest, all("content-length"), all("transfer-encoding").filter(Boolean));
    if (body === null) return finish("malformed");
    if (typeof body === "string") return finish(body === "open" ? "open" : "malformed", target);
    targets.push(target);
    rest = rest.slice(body.length);
    const connection = all("connection").flatMap((value) => value.toLowerCase().split(/ *, */));
    const isLast = minor === "0" ? !connection.includes("keep-alive") : connection.includes("close");
    if (isLast || method === "CONNECT" || (connection.includes("upgrade") && all("upgrade").length > 0))
      return finish("closed");
  }
}

/** Returns the length of a body; null if the headers are malformed. */
function measureBody(
  rest: string,
  lengths: readonly string[],
  codings: readonly string[],
): { length: number } | "open" | "malformed" | null {
  if (codings.length > 0) {
    if (lengths.length > 0) return null;
    const allCodings = codings.join(",").split(",");
    // `chunked` must be the last coding and occur once.
    if (allCodings.findIndex((coding) => /^ *chunked *$/i.test(coding)) !== allCodings.length - 1)
      return "malformed";
    return parseChunks(rest) ?? "malformed";
  }
  if (lengths.length > 1) return null;
  const [length = "0"] = lengths;
  if (!/^\d+$/.test(length)) return null;
  return rest.length < Number(length) ? "open" : { length: Number(length) };
}

/** Parses a chunked body and its length on the wire; null if it is malformed. */
function parseChunks(text: string): { body: string; length: number } | "open" | null {
  let [at, body] = [0, ""];
  for (;;) {
    const rest = text.slice(at);
    const line = /^([0-9a-fA-F]+)(;[^\r\n]*)?\r\n/.exec(rest);
    if (!line) return /\r\n/.test(rest) ? null : "open";
    const size = Number.parseInt(line[1] ?? "", 16);
    if (size === 0) {
      const trailers = /^(?:[!-9;-~]+:[^\r\n]*\r\n)*\r\n/.exec(rest.slice(line[0].length));
      if (trailers) return { body, length: at + line[0].length + trailers[0].length };
      return /\r\n\r\n/.test(rest) ? null : "open";
    }
    const data = rest.slice(line[0].length, line[0].length + size);
    if (data.length < size) return "open";
    if (!rest.startsWith("\r\n", line[0].length + size)) return null;
    body += data;
    at += line[0].length + size + 2;
  }
}
