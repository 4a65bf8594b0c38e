/** The man pages in groff and man (Debian's groff-base and man-db): no warnings, and unchanged text. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formatRoff } from "../../scripts/reference/roff.ts";
import { hostilePage } from "../build/hostile-page.ts";

const folder = join(import.meta.dirname, "..", "..", "dist", "man");

function groff(flags: string[], input?: string) {
  const { status, stdout, stderr } = spawnSync("groff", ["-man", "-ww", ...flags], {
    input,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

describe("groff", () => {
  test.each(readdirSync(folder))("renders %s without a warning", (name) => {
    groff(["-z", join(folder, name)]);
  });

  test("shows text that looks like roff commands unchanged", () => {
    const shown = groff(["-Tutf8", "-P-cbou"], formatRoff(hostilePage, "1.0"));
    for (const text of [
      ".so /etc/passwd",
      'A "B" \\N',
      ".de x",
      "'apostrophe \\(co ^~ --flag naïve 🎮",
      ".ex \\\\",
      ".term",
      ".text",
    ])
      expect(shown).toContain(text);
  });
});

describe("man", () => {
  test.each(readdirSync(folder))("shows %s without a warning", (name) => {
    const env = { ...process.env, MANPAGER: "cat", LC_ALL: "C.UTF-8" };
    const { status, stdout, stderr } = spawnSync("man", ["--warnings", "-l", join(folder, name)], {
      env,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(name.replace(/\.\d$/, "").toUpperCase());
  });
});
