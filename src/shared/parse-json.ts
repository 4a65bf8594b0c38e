/** Parses JSON from a file. Some editors for Windows begin files with a byte order mark. Throws SyntaxError. */
export const parseJsonFile = (text: string): unknown => JSON.parse(text.replace(/^\ufeff/, ""));

/** Parses JSON; undefined if the text is none. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
