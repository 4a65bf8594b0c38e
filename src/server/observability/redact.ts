/** Keeps keys out of what is written down: of a request's path, its id and address, and of the words of faults. */

/** Characters of a path or address that are kept. */
const MAX_LOGGED_LENGTH = 2000;

/** A character as itself, in either case, or percent-encoded. */
function matchAnyForm(character: string): string {
  const codes = [character.toLowerCase(), character.toUpperCase()].map((one) =>
    one.charCodeAt(0).toString(16),
  );
  return `(?:${character}|%${codes.join("|%")})`;
}

const PREFIXES = ["pt_mgmt_", "pt_ik_", "pt_tt_"].map((prefix) => [...prefix].map(matchAnyForm).join(""));
/** What begins like a key, with all the digits that follow. */
const KEY = new RegExp(`(?:${PREFIXES.join("|")})(?:[0-9a-f]|%[346][0-9a-f])*`, "gi");

/** The text with every key, whole or broken off, shown as `[key]`. */
export function redactKeys(text: string): string {
  return text.replace(KEY, "[key]");
}

/** The same of what a client sent, cut where it is very long. */
export function redactForLog(text: string): string {
  const safe = redactKeys(text);
  return safe.length > MAX_LOGGED_LENGTH ? `${safe.slice(0, MAX_LOGGED_LENGTH)}...` : safe;
}

/** A request id that the client chose is taken where it is harmless anywhere, and no key. */
export function acceptRequestId(given: string | null): string | null {
  return given !== null && /^[A-Za-z0-9._-]{1,128}$/.test(given) && redactKeys(given) === given
    ? given
    : null;
}
