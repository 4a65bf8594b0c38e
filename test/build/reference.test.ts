/** The man pages and docs/reference contain all commands, flags and topics, and their roff is valid. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { manPages } from "../../scripts/reference/index.ts";
import { formatRoff } from "../../scripts/reference/roff.ts";
import { lazyGroups, loadGroups } from "../../src/cli/commands/index.ts";
import { topicTexts } from "../../src/cli/topic-texts.prepared.ts";
import { hostilePage } from "./hostile-page.ts";

const root = join(import.meta.dirname, "..", "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const man = await manPages();
const pages = Object.keys(man);
const groups = await loadGroups(Object.keys(lazyGroups));

/** Returns escaped text as man displays it. */
const shown = (roff: string) =>
  roff
    .replace(/\\f[BR]/g, "")
    .replace(/\\\(aq/g, "'")
    .replace(/\\\(ga/g, "`")
    .replace(/\\\(ha/g, "^")
    .replace(/\\\(ti/g, "~")
    .replace(/\\\(dq/g, '"')
    .replace(/\\-/g, "-")
    .replace(/\\e/g, "\\");

test("package.json lists all man pages, so that npm installs them", () => {
  const manifest = JSON.parse(read("package.json")) as { man: string[]; files: string[] };
  expect(manifest.man).toEqual(pages.map((path) => `dist/${path}`).sort());
  expect(manifest.files).toContain("dist");
});

describe.each(groups.map((group) => [group.name, group] as const))("%s", (name, { commands }) => {
  const roff = shown(man[`man/playtest-${name}.1`] ?? "");
  const markdown = read(`docs/reference/${name}.md`).replaceAll("\\|", "|");

  test.each(commands.map((command) => [command.path, command] as const))(
    "documents %s completely",
    (path, command) => {
      for (const text of [roff, markdown]) {
        expect(text).toContain(`playtest ${path}`);
        expect(text.replaceAll("`", "")).toContain(command.summary.replaceAll("`", ""));
        for (const line of command.examples) expect(text).toContain(`\nplaytest ${line}\n`);
        for (const { flags } of Object.values(command.flags)) expect(text).toContain(flags);
        for (const { name: argument } of command.args) expect(text).toContain(argument);
      }
    },
  );
});

test("there is exactly one page per topic", () => {
  const topics = Object.keys(topicTexts);
  const names = ["", ...groups.map(({ name }) => name)];
  const files = [
    ...names.map((name) => (name === "" ? "playtest.1" : `playtest-${name}.1`)),
    ...topics.map((name) => `playtest-${name}.7`),
  ];
  expect(pages.sort()).toEqual(files.map((name) => `man/${name}`).sort());
  expect(readdirSync(join(root, "docs", "reference")).sort()).toEqual(
    [
      ...names.map((name) => name || "README"),
      ...topics,
      "export-columns",
      "limits",
      "metrics",
      "personal-data",
      "pruning",
      "tables",
    ]
      .map((name) => `${name}.md`)
      .sort(),
  );
});

describe("roff", () => {
  const macros = /^\.(TH|SH|SS|PP|TP|RS|RE|EX|EE|br)( |$)|^\.\\"/;

  test.each(pages)("of %s is valid", (name) => {
    const lines = man[name]?.trimEnd().split("\n") ?? [];
    for (const line of lines.slice(1)) {
      expect(line).toMatch(/^[\x20-\x7e]+$/);
      if (/^[.']/.test(line)) expect(line).toMatch(macros);
      expect(line).not.toMatch(/(?<!\\)-|(?<!\\\(|^)'(?!$)/);
    }
    const count = (macro: string) => lines.filter((line) => line.startsWith(macro)).length;
    expect([count(".EX"), count(".RS")]).toEqual([count(".EE"), count(".RE")]);
  });

  test("escapes roff commands in texts", () => {
    expect(formatRoff(hostilePage, "1.0").split("\n").slice(1)).toEqual([
      '.TH "PLAYTEST\\-HOSTILE" "7" "" "playtest 1.0" "Playtest Manual"',
      ".SH NAME",
      "playtest\\-hostile \\- .so /etc/passwd",
      '.SH "A \\(dqB\\(dq \\eN"',
      "\\&.de x",
      ".PP",
      "\\(aqapostrophe \\e(co \\(ha\\(ti \\fB\\-\\-flag\\fR na\\[u00EF]ve \\[u1F3AE]",
      ".PP",
      ".RS 4",
      ".EX",
      "\\&.ex \\e\\e",
      ".EE",
      ".RE",
      ".TP",
      "\\fB.term\\fR",
      "\\&.text",
      "",
    ]);
  });
});
