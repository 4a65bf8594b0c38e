/** Prints the version and help from pre-generated texts, without loading any command. */
import { version } from "../shared/version.generated.ts";
import { valueFlags } from "./constants.generated.ts";

/** The text to print, or null if a command must run. */
export async function quickAnswer(argv: readonly string[]): Promise<string | null> {
  const end = argv.indexOf("--");
  const own = end < 0 ? argv : argv.slice(0, end);
  const words = extractWords(own);
  const [first] = words;
  if (first === undefined && (own.includes("--version") || own.includes("-V"))) return `${version}\n`;
  if (first === "help") return (await findTopic(words.slice(1))) ?? (await findHelp(words.slice(1)));
  if (own.some(isHelpFlag) || own.length === 0) return await findHelp(words);
  return null;
}

export const isHelpFlag = (word: string): boolean => word === "--help" || word === "-h";

/** The positional words, without flags and the values that follow them. */
export function extractWords(argv: readonly string[]): string[] {
  const words: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (word === "--") break;
    if (!word.startsWith("-")) words.push(word);
    else if (valueFlags.includes(word)) at += 1;
  }
  return words;
}

/** The help topic of this name, or null. */
async function findTopic([name = ""]: readonly string[]): Promise<string | null> {
  const { topicTexts } = await import("./help.generated.ts");
  return Object.hasOwn(topicTexts, name) ? (topicTexts[name] ?? null) : null;
}

/** The help of the longest command path at the start of the words, or null for an unknown command. */
async function findHelp(words: readonly string[]): Promise<string | null> {
  const { helpTexts } = await import("./help.generated.ts");
  for (const length of [3, 2, 1]) {
    const path = words.slice(0, length).join(" ");
    const text = helpTexts[path];
    if (words.length < length || text === undefined) continue;
    // A group takes no arguments, so a further word must be an unknown command.
    const isGroup = text.startsWith(`Usage: playtest ${path} <command>`);
    return isGroup && words.length > length ? null : text;
  }
  return words.length === 0 ? (helpTexts[""] ?? null) : null;
}
