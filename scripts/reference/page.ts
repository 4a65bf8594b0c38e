/** The model of a reference page, which is formatted as Markdown, as a man page, or as text. */

import type { Flag } from "../../src/cli/flags.ts";

/** A block of a page. In texts, backticks mark literal input. */
export type Block =
  | { readonly kind: "heading"; readonly text: string; readonly level: 1 | 2 }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "code"; readonly lines: readonly string[]; readonly language: "sh" | "text" | "json" }
  | {
      readonly kind: "terms";
      /** The headers of the table. */
      readonly header: readonly [string, string];
      readonly items: readonly (readonly [term: string, text: string])[];
    };

export interface Page {
  /** The name without the section, such as `builds` or `exit-codes`; empty for the program itself. */
  readonly name: string;
  /** The section of the manual: 1 for commands, 7 for topics. */
  readonly section: 1 | 7;
  readonly summary: string;
  readonly blocks: readonly Block[];
}

export const heading = (text: string, level: 1 | 2 = 1): Block => ({ kind: "heading", text, level });
export const paragraph = (text: string): Block => ({ kind: "paragraph", text });
type Code = Extract<Block, { kind: "code" }>;

export function code(lines: readonly string[], language: Code["language"] = "sh"): Code {
  return { kind: "code", lines, language };
}

/** A table of terms and their descriptions; nothing if there are no terms. */
export function terms(
  header: readonly [string, string],
  items: readonly (readonly [string, string])[],
): Block[] {
  return items.length === 0 ? [] : [{ kind: "terms", header, items }];
}

/** Turns the text of a command into blocks. Indented lines become code blocks. */
export function detailBlocks(details: string | undefined): Block[] {
  const blocks: Block[] = [];
  for (const line of details?.split("\n") ?? []) {
    const last = blocks.at(-1);
    if (line.trim() === "") continue;
    if (!line.startsWith("  ")) blocks.push(paragraph(line));
    else if (last?.kind === "code") blocks[blocks.length - 1] = code([...last.lines, line.slice(2)], "text");
    else blocks.push(code([line.slice(2)], "text"));
  }
  return blocks;
}

/** A table of flags. */
export const flagTerms = (flags: readonly Flag<unknown>[]): Block[] =>
  terms(
    ["flag", "meaning"],
    flags.map((flag) => [flag.flags, flag.describe]),
  );

/** The name of a man page, without its section. */
export const manualName = (name: string) => (name === "" ? "playtest" : `playtest-${name}`);
