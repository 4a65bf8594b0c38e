/** A page of the manual, in the man macros that groff and mandoc share (groff_man(7), mandoc man(7)). */
import { type Block, manualName, type Page } from "./page.ts";

export function roffOf(page: Page, version: string): string {
  const name = manualName(page.name);
  const title = [name.toUpperCase(), String(page.section), "", `playtest ${version}`, "Playtest Manual"];
  return [
    '.\\" Made by `npm run generate` from the commands themselves.',
    `.TH ${title.map(quoted).join(" ")}`,
    ".SH NAME",
    `${plain(name)} \\- ${plain(page.summary.replace(/\.$/, ""))}`,
    ...page.blocks
      .flatMap(drawn)
      .filter((text, at, all) => text !== ".PP" || !/^\.S[HS] /.test(all[at - 1] ?? "")),
    "",
  ].join("\n");
}

function drawn(block: Block): string[] {
  if (block.kind === "heading")
    return [
      `${block.level === 1 ? ".SH" : ".SS"} ${quoted(block.level === 1 ? block.text.toUpperCase() : block.text)}`,
    ];
  if (block.kind === "paragraph") return block.text.split("\n").flatMap((text) => [".PP", line(text)]);
  if (block.kind === "code")
    return [".PP", ".RS 4", ".EX", ...block.lines.map((text) => guarded(plain(text))), ".EE", ".RE"];
  return block.items.flatMap(([term, text]) => [
    ".TP",
    bold(term),
    ...text.split("\n").flatMap((part, at) => (at === 0 ? [line(part)] : [".br", line(part)])),
  ]);
}

/** A line of text: what stands between backticks in bold. */
function line(text: string): string {
  const parts = text.split(/(`[^`]*`)/);
  return guarded(
    parts.map((part) => (part.startsWith("`") ? bold(part.slice(1, -1)) : plain(part))).join(""),
  );
}

const bold = (text: string) => `\\fB${plain(text)}\\fR`;

/** An argument of a macro. */
const quoted = (text: string) => `"${plain(text)}"`;

/** A line that no dot at its start turns into a request; apostrophes are named anyway. */
const guarded = (text: string) => (text.startsWith(".") ? `\\&${text}` : text);

const NAMED: Readonly<Record<string, string>> = {
  "\\": "\\e",
  "-": "\\-",
  "'": "\\(aq",
  "`": "\\(ga",
  "^": "\\(ha",
  "~": "\\(ti",
  '"': "\\(dq",
};

/** Text in which nothing is roff's: what it would set otherwise is named, and what is not ASCII is numbered. */
function plain(text: string): string {
  return text
    .replace(/[\\\-'`^~"]/g, (found) => NAMED[found] ?? found)
    .replace(/[^\x00-\x7f]/gu, (found) => {
      const hex = (found.codePointAt(0) ?? 0).toString(16).toUpperCase();
      return `\\[u${hex.padStart(4, "0")}]`;
    });
}
