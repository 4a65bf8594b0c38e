/** What is read of an answer, whoever sends it: bytes up to a bound, in one buffer, and JSON that is not too deep. */
import { tooLargeError } from "./network-errors.ts";
import { MAX_RESPONSE_BYTES } from "./transport.ts";

const INITIAL_BUFFER_BYTES = 16 * 1024;
/** What JSON of an answer may be nested; all that walks through it takes a frame of the stack a level. */
const MAX_NESTING_DEPTH = 500;

/**
 * The text of a body. One buffer that grows takes all parts: kept apart, parts of a byte each would hold many times
 * their length. Throws `contract` beyond MAX_RESPONSE_BYTES.
 */
export async function readText(body: AsyncIterable<Uint8Array>, url: string): Promise<string> {
  let bytes = Buffer.allocUnsafe(INITIAL_BUFFER_BYTES);
  let length = 0;
  for await (const part of body) {
    const end = length + part.length;
    if (end > MAX_RESPONSE_BYTES) throw tooLargeError(url);
    if (end > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(MAX_RESPONSE_BYTES, Math.max(end, bytes.length * 2)));
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
    }
    bytes.set(part, length);
    length = end;
  }
  return bytes.toString("utf8", 0, length);
}

/** The value of a JSON text; undefined where it is none, or nested too deep to be gone through. */
export function parseResponse(text: string): unknown {
  try {
    return isTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** Set, it makes `{` of `[` and `}` of `]`. */
const BRACKET_TO_BRACE_BIT = 0x20;
const [OPEN, CLOSE] = [0x7b, 0x7d];

/** Whether brackets outside of strings are nested deeper than DEEPEST. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) inString = !inString;
    else if (inString) at += code === BACKSLASH ? 1 : 0;
    else if ((code | BRACKET_TO_BRACE_BIT) === OPEN) depth += 1;
    else if ((code | BRACKET_TO_BRACE_BIT) === CLOSE) depth -= 1;
    if (depth > MAX_NESTING_DEPTH) return true;
  }
  return false;
}
