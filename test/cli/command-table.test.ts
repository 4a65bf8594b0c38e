/** Every command that is defined in a file can be run. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Command } from "../../src/cli/command.ts";
import { lazyGroups, loadGroups } from "../../src/cli/commands/index.ts";

const folder = join(import.meta.dirname, "..", "..", "src", "cli", "commands");

const isCommand = (value: unknown): value is Command =>
  typeof value === "object" && value !== null && "path" in value && "run" in value && "flags" in value;

test("every command is listed in the index of its group", async () => {
  const groups = await loadGroups(Object.keys(lazyGroups));
  // Compared by path, because the index wraps the commands that run the service.
  const listed = new Set(groups.flatMap(({ commands }) => commands.map(({ path }) => path)));
  const missing: string[] = [];
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts")) continue;
    const exported = Object.values<unknown>(await import(join(folder, file)));
    missing.push(
      ...exported.filter(isCommand).flatMap((one) => (listed.has(one.path) ? [] : [`${file}: ${one.path}`])),
    );
  }
  expect(missing).toEqual([]);
});
