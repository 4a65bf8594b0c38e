/** The entry point of the command line. Version and help are printed before anything large is loaded. */
import { version } from "../shared/version.prepared.ts";
import { extractWords, followWords, isHelpFlag, type Word } from "./command-words.ts";
import type { Io } from "./io.ts";

/** Runs a command line (without node and script). Resolves with its exit code. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  if (argv[0] === "__complete") {
    const { complete } = await import("./completion/answer.ts");
    return await complete(argv.slice(1), io);
  }
  const answer = (await findWelcome(argv, io)) ?? (await quickAnswer(argv));
  if (answer !== null) return await writeAnswer(answer, io);
  const { run } = await import("./run.ts");
  return await run(argv, io);
}

/** The introduction, for a person at a terminal who typed no arguments and has no key; otherwise null. */
async function findWelcome(argv: readonly string[], io: Io): Promise<string | null> {
  if (argv.length > 0 || !io.out.isTTY) return null;
  const { hasKey, WELCOME } = await import("./welcome.ts");
  return hasKey(io) ? null : WELCOME;
}

async function writeAnswer(answer: string, io: Io): Promise<number> {
  try {
    await io.out.write(answer);
    return 0;
  } catch (error) {
    const { reportError } = await import("./report-error.ts");
    return await reportError(error, io, { json: false, debug: false, command: null, selection: {} });
  }
}

/** The text to print, or null if a command must run. */
async function quickAnswer(argv: readonly string[]): Promise<string | null> {
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
  const { topicTexts } = await import("./topic-texts.prepared.ts");
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
