/** The script for PowerShell, which is not to be had here: that its texts and brackets close, and that it knows what the others know. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { completions } from "./shell-fixture.ts";

const script = readFileSync(completions("playtest.ps1"), "utf8");

/** The script's texts in single and double quotes, and all else of it. Throws where one does not end on its line. */
function takenApart(code: string): { texts: string[]; rest: string } {
  const texts: string[] = [];
  const rest = code.replace(/#.*$|'(?:[^'\n]|'')*'|"(?:[^"`\n]|`.|"")*"/gm, (part) => {
    if (!part.startsWith("#")) texts.push(part);
    return "";
  });
  if (/['"\u2018-\u201f]/.test(rest))
    throw new Error(`A quote stands alone: ${/.*['"\u2018-\u201f].*/.exec(rest)?.[0]}`);
  return { texts, rest };
}

test("every text ends, and every bracket is closed in order", () => {
  const { texts, rest } = takenApart(script);
  expect(texts.length).toBeGreaterThan(500);
  const open: string[] = [];
  const pairs: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
  for (const sign of rest.match(/[()[\]{}]/g) ?? []) {
    const opening = pairs[sign];
    if (opening === undefined) open.push(sign);
    else expect(open.pop()).toBe(opening);
  }
  expect(open).toEqual([]);
});

test("a text that does not end is seen", () => {
  expect(() => takenApart("$a = 'it's'")).toThrow("A quote stands alone");
});

test("no typographic quote stands in a text: PowerShell would end it there", () => {
  expect(takenApart(script).texts.filter((text) => /[\u2018-\u201f]/.test(text))).toEqual([]);
});

test("it knows the commands and values that the script for bash knows", () => {
  const bash = readFileSync(completions("playtest.bash"), "utf8");
  const nodes = [...bash.matchAll(/^ {4}'([a-z -]*)'\) /gm)].map(([, path]) => path ?? "");
  expect(nodes.length).toBeGreaterThan(60);
  for (const path of nodes) expect(script).toContain(`    '${path}' = @{ `);
  const taken = [...bash.matchAll(/'([a-z -]*\|-[a-z-]+)'/g)].map(([, key]) => key ?? "");
  expect(taken.length).toBeGreaterThan(100);
  for (const key of taken) expect(script).toContain(`'${key.startsWith("|") ? `*${key}` : key}' = '`);
});
