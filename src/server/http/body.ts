/** Reads the JSON body of a request, optionally compressed, within its size limit. */
import { gunzip } from "node:zlib";
import type { Endpoint } from "../../contract/define.ts";
import { HttpError } from "../../contract/errors.ts";
import type { RepairedBody } from "../../contract/repair.ts";
import { badRequest, toIssues } from "../core/http-errors.ts";
import type { Permit } from "./admission.ts";

/**
 * Reads the body of at most `max` bytes as JSON, and returns it with its size after decompression. Its size counts toward `permit`. Throws `unsupported_media_type`,
 * `payload_too_large`, `unavailable` or `bad_request`.
 */
export async function readJson(
  request: Request,
  max: number,
  permit: Permit,
): Promise<{ readonly json: unknown; readonly bytes: number }> {
  requireJson(request);
  const bytes = await readBytes(request, max, permit);
  const plain = await decompress(bytes, readEncoding(request), max);
  if (plain !== bytes) permit.reserve(plain.length);
  return { json: parseJson(plain), bytes: plain.length };
}

/** Repairs and validates a body. Throws `bad_request` with issues. */
export function validateBody(endpoint: Endpoint, raw: unknown): RepairedBody {
  const { body, warnings } = endpoint.repair?.(raw) ?? { body: raw, warnings: [] };
  const result = endpoint.body.safeParse(body);
  if (!result.success) throw badRequest(toIssues(result.error));
  return { body: result.data, warnings };
}

/** Throws `unsupported_media_type` unless the body is JSON with a supported Transfer-Encoding. */
function requireJson({ headers }: Request): void {
  const type = headers.get("content-type");
  if (!/^application\/json *(;|$)/i.test(type ?? "")) {
    throw new HttpError("unsupported_media_type", {
      message: `Content-Type must be application/json${type ? `, not ${type}` : ""}`,
    });
  }
  const transfer = headers.get("transfer-encoding") ?? "chunked";
  if (transfer.toLowerCase() !== "chunked") {
    throw new HttpError("unsupported_media_type", {
      message: `Transfer-Encoding must be chunked if it is set, not ${transfer}`,
    });
  }
}

/** Returns the content coding in lower case; null if the body is not compressed. */
function readEncoding(request: Request): string | null {
  const encoding = request.headers.get("content-encoding")?.toLowerCase() ?? null;
  return encoding === "identity" ? null : encoding;
}

/**
 * Reads the body of at most `max` bytes as it was sent. Its size counts toward `permit`. Throws `payload_too_large`, `unavailable`,
 * or `bad_request` if it did not arrive completely.
 */
export async function readBytes(request: Request, max: number, permit: Permit): Promise<Uint8Array> {
  return await collectBytes(request, max, permit).catch(throwReadError);
}

async function collectBytes(request: Request, max: number, permit: Permit): Promise<Uint8Array> {
  const contentLength = request.headers.get("content-length");
  if (contentLength !== null && Number(contentLength) > max) throw tooLarge(max);
  if (contentLength !== null) {
    permit.reserve(Number(contentLength) || 0);
    return new Uint8Array(await request.arrayBuffer());
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > max) throw tooLarge(max);
    permit.reserve(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Throws `bad_request` if the client disconnected before it sent the whole body, so that it is not reported as a bug. */
function throwReadError(error: unknown): never {
  throw error instanceof HttpError ? error : malformed("is incomplete");
}

function tooLarge(max: number): HttpError {
  return new HttpError("payload_too_large", { message: `The body must be at most ${max} bytes` });
}

async function decompress(bytes: Uint8Array, encoding: string | null, max: number): Promise<Uint8Array> {
  if (encoding === null) return bytes;
  if (encoding !== "gzip") {
    throw new HttpError("unsupported_media_type", {
      message: `Content-Encoding must be gzip if it is set, not ${encoding}`,
    });
  }
  return await new Promise((resolve, reject) => {
    gunzip(bytes, { maxOutputLength: max }, (error, plain) => {
      if (!error) resolve(plain);
      else if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") reject(tooLarge(max));
      else reject(malformed("is not valid gzip"));
    });
  });
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw malformed("is not valid JSON encoded as UTF-8");
  }
}

function malformed(message: string): Error {
  return badRequest([{ path: [], code: "invalid_json", message }]);
}
