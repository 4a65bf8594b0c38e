/** Mutates JSON by replacing one of its values with random JSON. */
import fc from "../property.ts";
import { ATTACKS } from "../render/samples.ts";

export type Path = readonly string[];

/** Values as JSON text, because some have no JavaScript value: duplicate names, and numbers of any size. */
export const numbers = [
  "-1",
  "0",
  "-0",
  "1e999",
  "-1e999",
  "5e-324",
  "0.1",
  "8640000000000001",
  "9007199254740991",
  "-9007199254740991",
  "1e21",
  "123456789012345678901234567890",
];
const odd = [
  "null",
  "true",
  '""',
  "[]",
  "{}",
  '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1,"length":-1}',
  '{"a":1,"a":2}',
  `"${"\\u001b]52;c;QQ==\\u0007"}"`,
  JSON.stringify(ATTACKS.join("x")),
  '"\\ud800"',
  `"${"\\u0301".repeat(5000)}"`,
  "[[],[[]],{}]",
];

/** Returns the paths of all nested values, starting with the value itself. */
export function findPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, child]) => findPaths(child, [...path, key]))];
}

/** Returns the JSON of a value, with JSON text in place of the value at a path. */
export function replaceAt(value: unknown, path: Path, text: string): string {
  const [key, ...rest] = path;
  if (key === undefined) return text;
  const parts = Object.entries(value as object).map(([name, child]) => {
    const json = name === key ? replaceAt(child, rest, text) : JSON.stringify(child);
    return Array.isArray(value) ? json : `${JSON.stringify(name)}:${json ?? "null"}`;
  });
  return Array.isArray(value) ? `[${parts.join(",")}]` : `{${parts.join(",")}}`;
}

/** Random JSON with many edge cases. */
export const anyJson = fc.oneof(fc.constantFrom(...numbers, ...odd), fc.json({ maxDepth: 3 }));
