/** What a page of the reference is, before it becomes Markdown, a man page or text at a terminal. */

/** A stretch of a page. In texts, what stands between backticks is typed as it is. */
export type Block =
  | { readonly kind: "heading"; readonly text: string; readonly level: 1 | 2 }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "code"; readonly lines: readonly string[]; readonly language: "sh" | "text" | "json" }
  | {
      readonly kind: "terms";
      /** What the terms and what is said of them are, for a table's header. */
      readonly header: readonly [string, string];
      readonly items: readonly (readonly [term: string, text: string])[];
    };

export interface Page {
  /** Without its section or file name, such as `builds` or `exit-codes`; empty for the program itself. */
  readonly name: string;
  /** Of the manual: 1 for commands, 7 for topics. */
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

/** Terms and what is said of them; nothing where there are none. */
export function terms(
  header: readonly [string, string],
  items: readonly (readonly [string, string])[],
): Block[] {
  return items.length === 0 ? [] : [{ kind: "terms", header, items }];
}

/** What a page of the manual is called there, without its section. */
export const manualName = (name: string) => (name === "" ? "playtest" : `playtest-${name}`);
