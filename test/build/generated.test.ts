/** Generated files: help texts, completions, the reference and the OpenAPI document. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("the generated files are up to date", () => {
  const run = spawnSync(process.execPath, ["--import", "tsx", "scripts/generate.ts", "--check"], {
    cwd: join(import.meta.dirname, "..", ".."),
    encoding: "utf8",
  });
  expect([run.status, run.stderr]).toEqual([0, ""]);
});
