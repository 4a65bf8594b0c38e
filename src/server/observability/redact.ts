/** Removes keys and what people wrote from logged text: request paths, ids, and error messages. */

/** Maximum number of characters of a logged path or address. */
const MAX_LOGGED_LENGTH = 2000;

/** A pattern that matches a character literally or percent-encoded. The flag `i` covers the other case. */
function matchAnyForm(character: string): string {
  const codes = [character.toLowerCase(), character.toUpperCase()].map((variant) =>
    variant.charCodeAt(0).toString(16),
  );
  return `(?:${character}|%${codes.join("|%")})`;
}

const PREFIXES = ["pt_mgmt_", "pt_ik_", "pt_ci_", "pt_tt_"].map((prefix) =>
  [...prefix].map(matchAnyForm).join(""),
);
/** Anything that begins like a key, with all hex digits that follow. */
export const KEY = new RegExp(`(?:${PREFIXES.join("|")})(?:[0-9a-f]|%[346][0-9a-f])*`, "gi");

/** Replaces every key, complete or truncated, with `[key]`. */
export function redactKeys(text: string): string {
  return text.replace(KEY, "[key]");
}

/** The same for text from a client, which is also truncated. */
export function redactForLog(text: string): string {
  const safe = redactKeys(text);
  return safe.length > MAX_LOGGED_LENGTH ? `${safe.slice(0, MAX_LOGGED_LENGTH)}...` : safe;
}

/** Replaces what is quoted, from the first to the last double quote: values can contain quotes themselves. */
function removeQuoted(message: string): string {
  const [first, last] = [message.indexOf('"'), message.lastIndexOf('"')];
  return first === last ? message : `${message.slice(0, first)}"[text]"${message.slice(last + 1)}`;
}

/** What a word ends at, so that an email address is one word. */
const DELIMITERS = /([\s"'<>()[\]{},;:/]+)/;

/** Whether a word has the form of an email address, also percent-encoded. */
function isEmail(word: string): boolean {
  const decoded = word.replaceAll("%40", "@");
  const at = decoded.indexOf("@");
  return at > 0 && at < decoded.length - 1;
}

/** Removes what can be a name or a text of a person from a message, and keys. */
export function redactMessage(message: string): string {
  const words = removeQuoted(redactKeys(message)).split(DELIMITERS);
  return words.map((word) => (isEmail(word) ? "[email]" : word)).join("");
}

/** Returns the request id that a client sent, or null if it has unsafe characters or looks like a key. */
export function acceptRequestId(id: string | null): string | null {
  return id !== null && /^[A-Za-z0-9._-]{1,128}$/.test(id) && redactKeys(id) === id ? id : null;
}

/** Health checks and metrics, which monitoring polls every few seconds. Logging each request would flood the log. */
const PROBES = new Set(["healthz", "readyz", "metrics"]);

export function isProbe(endpoint: string): boolean {
  return PROBES.has(endpoint);
}
