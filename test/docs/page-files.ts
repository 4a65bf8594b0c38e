/** The hand-written pages of the project: those for users, and those for contributors. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** Returns the Markdown files below a folder, relative to the root of the project. */
export function listPages(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name))
    .sort();
}

/** Reads a page by its path relative to the root of the project. */
export const readPage = (path: string): string => readFileSync(join(root, path), "utf8");

/** The pages under docs/, without the generated reference and the decisions. */
export const docsPages: readonly string[] = listPages("docs").filter(
  (path) => !/^docs\/(reference|decisions)\//.test(path),
);

export const userPages: readonly string[] = ["README.md", ...docsPages];

export const contributorPages: readonly string[] = [
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "bench/RESULTS.md",
  "clients/README.md",
  "src/README.md",
  "test/claims/README.md",
  "test/faults/README.md",
];

export const handWrittenPages: readonly string[] = [...userPages, ...contributorPages];
