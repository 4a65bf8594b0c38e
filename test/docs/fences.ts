/**
 * The fenced blocks of a page, and the output that console blocks show. In shown output, a line `...` matches any
 * number of lines, and `...` inside a line matches any text.
 */
import remarkParse from "remark-parse";
import { unified } from "unified";

export interface Fence {
  /** The first word after the fence, such as `console`. */
  language: string;
  /** The other words: `not-runnable`, `exit=10` or `POST /api/telemetry`. */
  info: string;
  content: string;
  /** Line of the opening fence, counted from 1. */
  line: number;
  /** Line of the closing fence. */
  endLine: number;
  /** Spaces in front of the fence. */
  indent: number;
}

/** A command of a console block with the lines of output below it. */
export interface ShownCommand {
  command: string;
  output: string[];
}

interface MarkdownNode {
  type: string;
  lang?: string | null;
  meta?: string | null;
  value?: string;
  children?: MarkdownNode[];
  position?: { start: { line: number; column: number }; end: { line: number } };
}

const parser = unified().use(remarkParse);

export function readFences(page: string): Fence[] {
  const fences: Fence[] = [];
  const collect = (node: MarkdownNode) => {
    if (node.type === "code") {
      const { lang, meta, value = "", position } = node;
      fences.push({
        language: lang ?? "",
        info: meta ?? "",
        content: value,
        line: position?.start.line ?? 0,
        endLine: position?.end.line ?? 0,
        indent: (position?.start.column ?? 1) - 1,
      });
    }
    node.children?.forEach(collect);
  };
  collect(parser.parse(page) as MarkdownNode);
  return fences;
}

/** The commands of a console block: lines that begin with `$ `. A backslash at the end continues a command. */
export function readConsole(content: string): ShownCommand[] {
  const commands: ShownCommand[] = [];
  for (const line of content.split("\n")) {
    const current = commands.at(-1);
    if (line.startsWith("$ ")) commands.push({ command: line.slice(2), output: [] });
    else if (current?.command.endsWith("\\") && current.output.length === 0) current.command += `\n${line}`;
    else if (current) current.output.push(line.trimEnd());
    else throw new Error(`The block does not begin with a command: ${line}`);
  }
  return commands;
}

export function writeConsole(commands: readonly ShownCommand[]): string {
  return commands.map(({ command, output }) => [`$ ${command}`, ...output].join("\n")).join("\n");
}

/** Output as lines without trailing spaces and empty lines around it. */
export function outputLines(output: string): string[] {
  const text = output.replace(/[ \t]+$/gm, "").replace(/^\n+|\n+$/g, "");
  return text === "" ? [] : text.split("\n");
}

function lineMatches(shown: string, actual: string): boolean {
  const parts = shown.split("...").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(actual);
}

/** Whether shown output matches actual output. */
export function outputMatches(shown: readonly string[], actual: readonly string[]): boolean {
  const [first, ...rest] = shown;
  if (first === undefined) return actual.length === 0;
  if (first === "...")
    return rest.length === 0 || actual.some((_line, start) => outputMatches(rest, actual.slice(start)));
  const [line, ...others] = actual;
  return line !== undefined && lineMatches(first, line) && outputMatches(rest, others);
}

/**
 * What a page should show instead of `shown`: the actual lines, with the patterns that still match one of them. If the
 * shown output ends with `...`, the new one is cut after the same number of lines.
 */
export function renewOutput(shown: readonly string[], actual: readonly string[]): string[] {
  if (outputMatches(shown, actual)) return [...shown];
  const patterns = shown.filter((line) => line !== "..." && line.includes("..."));
  const lines = actual.map((line) => patterns.find((pattern) => lineMatches(pattern, line)) ?? line);
  if (shown.at(-1) !== "...") return lines;
  return lines.length < shown.length ? lines : [...lines.slice(0, shown.length - 1), "..."];
}

/** A page with new content for some of its fences, by the line of the opening fence. */
export function replaceFences(page: string, contents: ReadonlyMap<number, string>): string {
  const lines = page.split("\n");
  for (const { line, endLine, indent } of readFences(page).reverse()) {
    const content = contents.get(line);
    if (content === undefined) continue;
    const indented = content.split("\n").map((text) => (text === "" ? "" : " ".repeat(indent) + text));
    lines.splice(line, endLine - line - 1, ...indented);
  }
  return lines.join("\n");
}
