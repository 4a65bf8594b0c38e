/** Static tests of the PowerShell script: strings and brackets are closed, and it has the same completions as bash. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { completions } from "./shell-fixture.ts";

const script = readFileSync(completions("playtest.ps1"), "utf8");

/** Splits the script into its strings and the rest. Throws if a string does not end on its line. */
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

test("closes every string and bracket", () => {
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

test("the test detects an unclosed string", () => {
  expect(() => takenApart("$a = 'it's'")).toThrow("A quote stands alone");
});

test("strings contain no typographic quotes, which end a string in PowerShell", () => {
  expect(takenApart(script).texts.filter((text) => /[\u2018-\u201f]/.test(text))).toEqual([]);
});

test("has the same commands and values as the bash script", () => {
  const bash = readFileSync(completions("playtest.bash"), "utf8");
  const nodes = [...bash.matchAll(/^ {4}'([a-z -]*)'\) /gm)].map(([, path]) => path ?? "");
  expect(nodes.length).toBeGreaterThan(60);
  for (const path of nodes) expect(script).toContain(`    '${path}' = @{ `);
  const taken = [...bash.matchAll(/'([a-z -]*\|-[a-z-]+)'/g)].map(([, key]) => key ?? "");
  expect(taken.length).toBeGreaterThan(100);
  for (const key of taken) expect(script).toContain(`'${key.startsWith("|") ? `*${key}` : key}' = '`);
});
