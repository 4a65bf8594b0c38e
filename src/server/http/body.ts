/** Reads a request's JSON body within its limit, compressed or not. */
import { gunzip } from "node:zlib";
import type { Endpoint } from "../../contract/define.ts";
import { HttpError } from "../../contract/errors.ts";
import { badRequest, toIssues } from "../core/bad-request.ts";
import type { Permit } from "./admission.ts";

/**
 * The decoded body, its bytes counted in `share`. Throws `unsupported_media_type`, `payload_too_large`, `unavailable`, or
 * `bad_request` with its issues.
 */
export async function readBody(request: Request, endpoint: Endpoint, share: Permit): Promise<unknown> {
  requireJson(request);
  const bytes = await readBytes(request, endpoint.maxBody, share).catch(throwBrokenBody);
  const plain = await decompress(bytes, readEncoding(request), endpoint.maxBody);
  if (plain !== bytes) share.reserve(plain.length);
  const result = endpoint.body.safeParse(parseJson(plain));
  if (!result.success) throw badRequest(toIssues(result.error));
  return result.data;
}

/** That the body is JSON, and told apart from what follows it in the one way that is understood. */
function requireJson({ headers }: Request): void {
  const type = headers.get("content-type") ?? "";
  if (!/^application\/json *(;|$)/i.test(type)) {
    throw new HttpError("unsupported_media_type", {
      message: `Content-Type must be application/json, not ${type || "absent"}`,
    });
  }
  const transfer = headers.get("transfer-encoding") ?? "chunked";
  if (transfer.toLowerCase() !== "chunked") {
    throw new HttpError("unsupported_media_type", {
      message: `Transfer-Encoding must be chunked or absent, not ${transfer}`,
    });
  }
}

/** The content coding, whose case does not matter; null where the body is plain. */
function readEncoding(request: Request): string | null {
  const encoding = request.headers.get("content-encoding")?.toLowerCase() ?? null;
  return encoding === "identity" ? null : encoding;
}

async function readBytes(request: Request, max: number, share: Permit): Promise<Uint8Array> {
  const told = request.headers.get("content-length");
  if (told !== null && Number(told) > max) throw tooLarge(max);
  if (told !== null) {
    share.reserve(Number(told) || 0);
    return new Uint8Array(await request.arrayBuffer());
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > max) throw tooLarge(max);
    share.reserve(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A body that breaks off is its client's fault, and nobody is there any more to be told. */
function throwBrokenBody(error: unknown): never {
  throw error instanceof HttpError ? error : malformed("broke off");
}

function tooLarge(max: number): HttpError {
  return new HttpError("payload_too_large", { message: `The body must be at most ${max} bytes` });
}

async function decompress(bytes: Uint8Array, encoding: string | null, max: number): Promise<Uint8Array> {
  if (encoding === null) return bytes;
  if (encoding !== "gzip") {
    throw new HttpError("unsupported_media_type", {
      message: `Content-Encoding must be gzip or absent, not ${encoding}`,
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
    throw malformed("is not valid JSON in UTF-8");
  }
}

function malformed(message: string): Error {
  return badRequest([{ path: [], code: "invalid_json", message }]);
}
