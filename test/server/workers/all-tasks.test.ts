import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../src/server");

describe("the tasks of workers", () => {
  it("include every task that the service defines", () => {
    const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => readFileSync(join(root, path), "utf8"));
    const defined = sources.flatMap((text) =>
      [...text.matchAll(/^export const (\w+): Task</gm)].map(([, name]) => name ?? ""),
    );
    expect(defined.length).toBeGreaterThan(2);
    const list = readFileSync(join(root, "http/all-tasks.ts"), "utf8");
    const [, listed = ""] = /const tasks: [^=]+= \[([^\]]*)\]/.exec(list) ?? [];
    expect(
      listed
        .split(",")
        .map((name) => name.trim())
        .filter(Boolean)
        .toSorted(),
    ).toEqual(defined.toSorted());
  });
});
