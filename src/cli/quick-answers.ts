/** Prints the version and help from prepared texts, without loading any command. */
import { version } from "../shared/version.prepared.ts";
import { extractWords, followWords, isHelpFlag, type Word } from "./command-words.ts";

/** The text to print, or null if a command must run. */
export async function quickAnswer(argv: readonly string[]): Promise<string | null> {
  const end = argv.indexOf("--");
  const own = end < 0 ? argv : argv.slice(0, end);
  const words = extractWords(own);
  const [first, ...others] = words;
  const isVersion = own.includes("--version") || own.includes("-V");
  if (isVersion && words.every(({ mayBeValue }) => mayBeValue)) return `${version}\n`;
  if (first?.text === "help") return (await findTopic(others)) ?? (await findHelp(others));
  if (own.some(isHelpFlag) || own.length === 0) return await findHelp(words);
  return null;
}

/** The help topic of this name, or null. */
async function findTopic([word]: readonly Word[]): Promise<string | null> {
  const { topicTexts } = await import("./help-texts.prepared.ts");
  const name = word?.text ?? "";
  return Object.hasOwn(topicTexts, name) ? (topicTexts[name] ?? null) : null;
}

/** The help of the longest command path at the start of the words, or null for an unknown command. */
async function findHelp(words: readonly Word[]): Promise<string | null> {
  const { helpTexts } = await import("./help-texts.prepared.ts");
  const { path, unknown } = followWords(words, (longer) => Object.hasOwn(helpTexts, longer));
  const text = helpTexts[path] ?? "";
  // A group takes no arguments, so a further word must be an unknown command.
  const isGroup = path === "" || text.startsWith(`Usage: playtest ${path} <command>`);
  return isGroup && unknown !== null ? null : text;
}
