/**
 * Checks the prose of help, messages, comments and docs in the current folder (`npm run lint`). Arguments limit the
 * check to paths that begin with them.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sources } from "../prose.config.ts";
import { checkProse } from "./prose/check.ts";

const only = process.argv.slice(2);

const files = sources.folders
  .filter((folder) => existsSync(folder))
  .flatMap((folder) =>
    readdirSync(folder, { recursive: folder !== ".", encoding: "utf8" }).map((name) => join(folder, name)),
  )
  .filter((path) => [sources.markdown, sources.code, sources.tests].some((pattern) => pattern.test(path)))
  .filter((path) => only.length === 0 || only.some((prefix) => path.startsWith(prefix)))
  .sort();

const findings = files.flatMap((path) => checkProse(path, readFileSync(path, "utf8")));
for (const { path, line, column, rule, message } of findings)
  console.log(`${path}:${line}:${column} ${message} (${rule})`);
console.log(`Prose: files checked: ${files.length}, findings: ${findings.length}`);
if (findings.length > 0) process.exitCode = 1;
