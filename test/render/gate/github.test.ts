/** The gate for GitHub Actions: annotations within GitHub's limits, the summary, and escaped outputs. */

import { describe, expect, test } from "vitest";
import type { GateVerdict } from "../../../src/gate/verdict.ts";
import { gateAnnotations, gateOutputs, gateSummary } from "../../../src/render/gate/github.ts";
import { cleanLine } from "../../../src/render/text.ts";
import { inconclusiveVerdict, passedVerdict, richVerdict } from "../../gate/samples.ts";
import fc from "../../property.ts";
import { forbiddenIn } from "../samples.ts";
import { commandsIn, hostileVerdict } from "./samples.ts";

interface Command {
  readonly name: string;
  readonly title: string;
  readonly message: string;
}

/** Parses workflow commands like GitHub's runner: splits them first, then unescapes, `%` last. */
function parse(log: string): Command[] {
  const decode = (text: string, pairs: readonly (readonly [string, string])[]) =>
    [...pairs, ["%25", "%"] as const].reduce((all, [from, to]) => all.replaceAll(from, to), text);
  const lines = [["%0D", "\r"] as const, ["%0A", "\n"] as const];
  return log
    .trimEnd()
    .split("\n")
    .map((line) => {
      const end = line.indexOf("::", 2);
      const [name = "", properties = ""] = line.slice(2, end).split(/ (.*)/s);
      const title = properties.split(",").map((pair) => pair.split(/=(.*)/s));
      expect(line.startsWith("::")).toBe(true);
      expect(title.map(([key]) => key)).toEqual(["title"]);
      return {
        name,
        title: decode(title[0]?.[1] ?? "", [...lines, ["%3A", ":"], ["%2C", ","]]),
        message: decode(line.slice(end + 2), lines),
      };
    });
}

describe("annotations", () => {
  test("list the failures, warnings and notes of a failed verdict", () => {
    expect(`\n${gateAnnotations(richVerdict(), "fail")}`).toMatchInlineSnapshot(`
      "
      ::error title=Difficulty spike in furnace::Row: difficulty-spike:furnace%0AFound: 0/20 → 11/22, +50 pts, limit +10%0ARule: fails if it is worse beyond chance and the increase exceeds 10 points%0AEvidence: ins_01 in ses_07: Died nine times at the furnace%0AEvidence: ins_02 in ses_09
      ::error title=Quit in vault::Row: quit:vault%0AFound: 9/12 who entered, limit 40%25%0ARule: fails if surely more than 40%25 of those who entered the new room are affected
      ::error title=Limit crossed%3A engagementRate::Found: 70.0%25%0ALimit: at least 75.0%25
      ::warning title=Stuck point in level-02::Row: stuck-point:level-02%0AFound: 9/20 → 21/22, +50 pts, limit +10%0ARule: warns if it is worse beyond chance and the increase exceeds 10 points
      ::warning title=Limit crossed%3A medianActiveSec::Found: fell by 3.3%25%0ALimit: a decrease of at most 1%25
      ::warning title=Playtest gate::1 session of 0.9.0 still receives events and is left out.
      ::warning title=Playtest gate::The exception for pacing-issue:* expires on 2026-03-05.
      ::warning title=Playtest gate::The exception for bug-report:* expired on 2026-02-01.
      ::notice title=GATE FAILED%3A 0.9.0 vs 0.8.0%2C 3 of 8 checks failed%2C 2 warnings::ember · production · 20 → 22 testers%0AWatch (may be chance): negative-moment:boss 2/20 → 7/22, quit:attic 2/3
      "
    `);
  });

  test("consist of one notice for a passed verdict", () => {
    expect(gateAnnotations(passedVerdict(), "fail")).toMatch(
      /^::notice title=GATE PASSED%3A 0\.9\.0 vs 0\.8\.0%2C 1 check%2C none failed::.*\n$/,
    );
  });

  test.each([
    ["fail", "error"],
    ["warn", "warning"],
    ["pass", "notice"],
  ] as const)("with onInconclusive %s start with the severity %s", (onInconclusive, name) => {
    const [command] = parse(gateAnnotations(inconclusiveVerdict(), onInconclusive));
    expect(command).toMatchObject({ name, title: "NOT ENOUGH DATA: 0.9.0 vs 0.8.0, nothing checked" });
    expect(command?.message).toContain("0.9.0 has 2 testers in production, 5 needed");
  });

  /** A verdict with this many rows of a ruling. */
  function verdictWith(count: number, ruling: "failed" | "warned"): GateVerdict {
    const rich = richVerdict();
    const [first] = rich.checks;
    if (first === undefined) throw new Error("no checks");
    const checks = Array.from({ length: count }, (_, at) => ({
      ...first,
      ...{ ruling, id: `tag-${at}`, title: `tag-${at}` },
    }));
    return { ...rich, checks, limits: [], notes: [] };
  }

  test.each([
    ["failed", "error"],
    ["warned", "warning"],
  ] as const)("combine the rest if there are more than GitHub shows: %s", (ruling, name) => {
    const shown = (count: number) =>
      parse(gateAnnotations(verdictWith(count, ruling), "fail")).filter((command) => command.name === name);
    expect(shown(10).map(({ title }) => title)).toContain("tag-9");
    const combined = shown(25);
    expect(combined).toHaveLength(10);
    expect(combined[9]?.title).toBe("Playtest gate: 16 more");
    expect(combined[9]?.message).toContain("tag-24");
  });

  test("escape any text so that it stays in its own command", () => {
    fc.assert(
      fc.property(hostileVerdict, (verdict) => {
        const log = gateAnnotations(verdict, "fail");
        expect(forbiddenIn(log, "\n\u200d")).toEqual([]);
        const commands = parse(log);
        expect(commandsIn(log)).toHaveLength(commands.length);
        for (const name of ["error", "warning", "notice"])
          expect(commands.filter((command) => command.name === name).length).toBeLessThanOrEqual(10);
        expect(commands.every(({ name }) => ["error", "warning", "notice"].includes(name))).toBe(true);
        const failed = verdict.checks.filter(({ ruling }) => ruling === "failed");
        const [first] = failed;
        if (first && verdict.verdict !== "inconclusive" && first.title.length < 50)
          expect(commands[0]?.title).toContain(cleanLine(first.title));
      }),
    );
  });
});

describe("outputs", () => {
  /** Parses the file like the runner: a value ends at the first line that is its delimiter. */
  function read(file: string): Record<string, string> {
    const outputs: Record<string, string> = {};
    const lines = file.split("\n");
    expect(lines.pop()).toBe("");
    while (lines.length > 0) {
      const [, name = "", end] = /^([^=]*?)<<(.+)$/.exec(lines.shift() ?? "") ?? [];
      const value = lines.splice(0, lines.indexOf(end ?? ""));
      lines.shift();
      outputs[name] = value.join("\n");
    }
    return outputs;
  }

  test("contain the verdict, the counts and the reasons", () => {
    expect(read(gateOutputs(richVerdict()))).toEqual({
      verdict: "failed",
      failed: "3",
      warned: "2",
      judged: "5",
      reasons: richVerdict().reasons.join("\n"),
    });
    expect(read(gateOutputs(passedVerdict())).reasons).toBe("");
  });

  test("cannot be ended or extended by any text", () => {
    fc.assert(
      fc.property(hostileVerdict, (verdict) => {
        const outputs = read(gateOutputs(verdict));
        expect(Object.keys(outputs)).toEqual(["verdict", "failed", "warned", "judged", "reasons"]);
        expect(outputs.reasons).toBe(verdict.reasons.map(cleanLine).join("\n"));
      }),
    );
  });

  test("can contain the delimiter as a reason", () => {
    const reasons = ["GATE_END", "GATE_END_", "evil<<x"];
    expect(read(gateOutputs({ ...passedVerdict(), reasons })).reasons).toBe(reasons.join("\n"));
  });
});

test("the summary is the report in at most 1 MiB", () => {
  expect(gateSummary(richVerdict())).toMatch(
    /^### GATE FAILED: 0\.9\.0 vs 0\.8\.0, 3 of 8 checks failed, 2 warnings\n/,
  );
  const rich = richVerdict();
  const [first] = rich.checks;
  if (first === undefined) throw new Error("no checks");
  const checks = Array.from({ length: 3000 }, (_, at) => ({ ...first, id: `${"日".repeat(250)}${at}` }));
  const summary = gateSummary({ ...rich, checks });
  expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(1024 * 1024);
  expect(Buffer.byteLength(summary)).toBeGreaterThan(1000 * 1024);
  expect(summary).toContain("left out");
});
