/** Reads responses of any service: text up to a maximum size, and JSON up to a maximum depth. */
import { tooLargeError } from "./network-errors.ts";
import { MAX_RESPONSE_BYTES } from "./transport.ts";

const INITIAL_BUFFER_BYTES = 16 * 1024;
/** The maximum nesting of JSON. Code that traverses it recursively uses one stack frame per level. */
const MAX_NESTING_DEPTH = 500;

/**
 * Reads a body as text. Collects it in one growing buffer, because a list of one-byte chunks would take many times as
 * much memory. Throws `contract` beyond MAX_RESPONSE_BYTES.
 */
export async function readText(body: AsyncIterable<Uint8Array>, url: string): Promise<string> {
  let bytes = Buffer.allocUnsafe(INITIAL_BUFFER_BYTES);
  let length = 0;
  for await (const chunk of body) {
    const end = length + chunk.length;
    if (end > MAX_RESPONSE_BYTES) throw tooLargeError(url);
    if (end > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(MAX_RESPONSE_BYTES, Math.max(end, bytes.length * 2)));
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
    }
    bytes.set(chunk, length);
    length = end;
  }
  return bytes.toString("utf8", 0, length);
}

/** Parses JSON; undefined if the text is not valid JSON or is nested too deeply. */
export function parseResponse(text: string): unknown {
  try {
    return isTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** Setting this bit turns `[` into `{` and `]` into `}`. */
const BRACKET_TO_BRACE_BIT = 0x20;
const [OPEN, CLOSE] = [0x7b, 0x7d];

/** Whether brackets outside of strings are nested deeper than MAX_NESTING_DEPTH. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = skipString(text, at);
    else if ((code | BRACKET_TO_BRACE_BIT) === OPEN) depth += 1;
    else if ((code | BRACKET_TO_BRACE_BIT) === CLOSE) depth -= 1;
    if (depth > MAX_NESTING_DEPTH) return true;
  }
  return false;
}

/** The index of the quote that ends the string. */
function skipString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
