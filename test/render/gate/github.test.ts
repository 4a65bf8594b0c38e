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
      ::error title=Introduced%3A Difficulty spike in furnace::Tag: difficulty-spike:furnace%0AFound: +50.0 percentage points, 0 of 20 → 11 of 22, corrected p = 0.0002%0ARule: fails if the increase exceeds 10 percentage points and the corrected p-value is at most 0.05 (minimum: 5 testers per build)%0AEvidence: ins_01 in ses_07: Died nine times at the furnace%0AEvidence: ins_02 in ses_09
      ::error title=Got larger%3A Bugs%3A save::Tag: bug-report:save%0AFound: +49.5 percentage points, 1 of 20 → 12 of 22, corrected p = 0.001%0ARule: fails if the increase exceeds 10 percentage points and the corrected p-value is at most 0.05 (minimum: 5 testers per build)
      ::error title=Limit crossed%3A engagementRate::Found: 70.0%25%0ALimit: at least 75.0%25
      ::warning title=Got larger%3A Stuck point in level-02::Tag: stuck-point:level-02%0AFound: +50.5 percentage points, 9 of 20 → 21 of 22, corrected p = 0.00053%0ARule: warns if the increase exceeds 10 percentage points and the corrected p-value is at most 0.05 (minimum: 5 testers per build)
      ::warning title=Limit crossed%3A medianActiveSec::Found: fell by 3.3%25%0ALimit: a decrease of at most 1%25
      ::warning title=Playtest gate::UI friction in shop (ui-friction:shop) got larger: +49.5 percentage points, but its rule requires 50 testers per build (the builds have 20 and 22).
      ::warning title=Playtest gate::The exception for pacing-issue:* expires on 2026-03-05.
      ::warning title=Playtest gate::The exception for bug-report:* expired on 2026-02-01. The tag is checked again.
      ::notice title=Playtest gate failed::ember: 0.8.0 (20 testers) to 0.9.0 (22 testers), in production%0A3 failures (2 tags, 1 limit), 2 warnings (1 tag, 1 limit), 5 tags compared.%0ABuild 0.9.0 has friction that is worse than in 0.8.0: Difficulty spike in furnace (11 of 22 testers, before 0 of 20); Bugs: save (12 of 22 testers, before 1 of 20).%0ABuild 0.9.0 crosses the limits of engagementRate.%0AWith 20 and 22 testers, a new problem must affect 6 of 22 to be noticed.
      "
    `);
  });

  test("consist of one notice for a passed verdict", () => {
    expect(gateAnnotations(passedVerdict(), "fail")).toMatch(/^::notice title=Playtest gate passed::.*\n$/);
  });

  test.each([
    ["fail", "error"],
    ["warn", "warning"],
    ["pass", "notice"],
  ] as const)("with onInconclusive %s start with the severity %s", (onInconclusive, name) => {
    const [command] = parse(gateAnnotations(inconclusiveVerdict(), onInconclusive));
    expect(command).toMatchObject({ name, title: "Playtest gate inconclusive" });
    expect(command?.message).toContain("build 0.9.0 has 2 testers in production; at least 5 are required");
  });

  /** A verdict with this many tags of a status. */
  function verdictWith(count: number, status: "failed" | "warned"): GateVerdict {
    const rich = richVerdict();
    const [first] = rich.findings;
    if (first === undefined) throw new Error("no findings");
    const findings = Array.from({ length: count }, (_, at) => {
      return { ...first, status, tag: `tag-${at}`, title: `tag-${at}` };
    });
    return { ...rich, findings, limits: [], notes: [] };
  }

  test.each([
    ["failed", "error"],
    ["warned", "warning"],
  ] as const)("combine the rest if there are more than GitHub shows: %s", (status, name) => {
    const shown = (count: number) =>
      parse(gateAnnotations(verdictWith(count, status), "fail")).filter((command) => command.name === name);
    expect(shown(10).map(({ title }) => title.split(": ")[1])).toContain("tag-9");
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
        const failed = verdict.findings.filter(({ status }) => status === "failed");
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
  expect(gateSummary(richVerdict())).toMatch(/^### Gate failed: 2 problems are new or worse in .*\n/);
  const rich = richVerdict();
  const findings = Array.from({ length: 3000 }, (_, at) => ({
    ...rich.findings[0],
    tag: `${"日".repeat(250)}${at}`,
  })) as GateVerdict["findings"];
  const summary = gateSummary({ ...rich, findings });
  expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(1024 * 1024);
  expect(Buffer.byteLength(summary)).toBeGreaterThan(1000 * 1024);
  expect(summary).toContain("left out");
});
