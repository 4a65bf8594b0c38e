/** The gate for GitHub Actions: annotations within its limits, the summary, and outputs that nothing breaks out of. */

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

/** Reads workflow commands as GitHub's runner does: split first, then what was escaped is put back, `%` last. */
function parse(log: string): Command[] {
  const back = (text: string, pairs: readonly (readonly [string, string])[]) =>
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
        title: back(title[0]?.[1] ?? "", [...lines, ["%3A", ":"], ["%2C", ","]]),
        message: back(line.slice(end + 2), lines),
      };
    });
}

describe("annotations", () => {
  test("of a verdict that failed", () => {
    expect(`\n${gateAnnotations(richVerdict(), "fail")}`).toMatchInlineSnapshot(`
      "
      ::error title=difficulty-spike%3Afurnace failed%3A introduced::Found +50.0 points, 0 of 20 → 11 of 22, p = 0.0002 after correction.%0AExpected a growth of at most 10 points, or a chance above 0.05 after correction; 5 testers a build.%0AEvidence: ins_01 in ses_07: Died nine times at the furnace%0AEvidence: ins_02 in ses_09
      ::error title=bug-report%3Asave failed%3A got_larger::Found +49.5 points, 1 of 20 → 12 of 22, p = 0.001 after correction.%0AExpected a growth of at most 10 points, or a chance above 0.05 after correction; 5 testers a build.
      ::error title=engagementRate failed::Found 70.0 %25, expected at least 75.0 %25.
      ::warning title=stuck-point%3Alevel-02 warned%3A got_larger::Found +50.5 points, 9 of 20 → 21 of 22, p = 0.00053 after correction.%0AExpected a growth of at most 10 points, or a chance above 0.05 after correction; 5 testers a build.
      ::warning title=medianActiveSec warned::Found -3.3 %25, expected a drop of at most 1 %25.
      ::warning title=Playtest gate::ui-friction:shop was made worse: +49.5 points, but its rule takes 50 testers a build, not 20 and 22.
      ::warning title=Playtest gate::The allowance of pacing-issue:* expires on 2026-03-05.
      ::warning title=Playtest gate::The allowance of bug-report:* expired on 2026-02-01: it counts again.
      ::notice title=Playtest gate failed::ember: 0.8.0 (20 testers) to 0.9.0 (22 testers), in production%0A3 failures among 5 tags judged; 2 warnings.
      "
    `);
  });

  test("of one that passed", () => {
    expect(gateAnnotations(passedVerdict(), "fail")).toMatch(/^::notice title=Playtest gate passed::.*\n$/);
  });

  test.each([
    ["fail", "error"],
    ["warn", "warning"],
    ["pass", "notice"],
  ] as const)("of one that is inconclusive, where that is to %s", (how, name) => {
    const [command] = parse(gateAnnotations(inconclusiveVerdict(), how));
    expect(command).toMatchObject({ name, title: "Playtest gate inconclusive" });
    expect(command?.message).toContain("build 0.9.0 has 2 of the 5 testers in production");
  });

  /** So many tags of a status. */
  function many(count: number, status: "failed" | "warned"): GateVerdict {
    const rich = richVerdict();
    const [first] = rich.findings;
    if (first === undefined) throw new Error("nothing found");
    const findings = Array.from({ length: count }, (_, at) => ({ ...first, status, tag: `tag-${at}` }));
    return { ...rich, findings, limits: [], notes: [] };
  }

  test.each([
    ["failed", "error"],
    ["warned", "warning"],
  ] as const)("more than GitHub shows are summed up: %s", (status, name) => {
    const shown = (count: number) =>
      parse(gateAnnotations(many(count, status), "fail")).filter((one) => one.name === name);
    expect(shown(10).map(({ title }) => title.split(" ")[0])).toContain("tag-9");
    const summed = shown(25);
    expect(summed).toHaveLength(10);
    expect(summed[9]?.title).toBe("Playtest gate: 16 more");
    expect(summed[9]?.message).toContain("tag-24");
  });

  test("any text is read back as it was cleaned, in its own command", () => {
    fc.assert(
      fc.property(hostileVerdict, (verdict) => {
        const log = gateAnnotations(verdict, "fail");
        expect(forbiddenIn(log, "\n\u200d")).toEqual([]);
        const commands = parse(log);
        expect(commandsIn(log)).toHaveLength(commands.length);
        for (const name of ["error", "warning", "notice"])
          expect(commands.filter((one) => one.name === name).length).toBeLessThanOrEqual(10);
        expect(commands.every(({ name }) => ["error", "warning", "notice"].includes(name))).toBe(true);
        const failed = verdict.findings.filter(({ status }) => status === "failed");
        const [first] = failed;
        if (first && verdict.verdict !== "inconclusive" && first.tag.length < 50)
          expect(commands[0]?.title).toContain(cleanLine(first.tag));
      }),
    );
  });
});

describe("outputs", () => {
  /** Reads the file as the runner does: a heredoc's value ends at the first line that is its delimiter. */
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

  test("are the verdict, the counts and the reasons", () => {
    expect(read(gateOutputs(richVerdict()))).toEqual({
      verdict: "failed",
      failed: "3",
      warned: "2",
      judged: "5",
      reasons: richVerdict().reasons.join("\n"),
    });
    expect(read(gateOutputs(passedVerdict())).reasons).toBe("");
  });

  test("nothing ends a value early or adds another", () => {
    fc.assert(
      fc.property(hostileVerdict, (verdict) => {
        const outputs = read(gateOutputs(verdict));
        expect(Object.keys(outputs)).toEqual(["verdict", "failed", "warned", "judged", "reasons"]);
        expect(outputs.reasons).toBe(verdict.reasons.map(cleanLine).join("\n"));
      }),
    );
  });

  test("a reason that is the delimiter is no end", () => {
    const reasons = ["GATE_END", "GATE_END_", "evil<<x"];
    expect(read(gateOutputs({ ...passedVerdict(), reasons })).reasons).toBe(reasons.join("\n"));
  });
});

test("the summary is the report, in at most a mebibyte", () => {
  expect(gateSummary(richVerdict())).toMatch(/^### Playtest gate ❌ failed\n/);
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
