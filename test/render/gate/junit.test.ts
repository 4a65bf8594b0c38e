/** The gate as JUnit XML: valid by the common schema of Jenkins and Ant, and escaped. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { validateXML, type XMLFileInfo, type XMLLintOptions } from "xmllint-wasm";
import type { OnInconclusive } from "../../../src/gate/config.ts";
import { gateJunit } from "../../../src/render/gate/junit.ts";
import { cleanLine } from "../../../src/render/text.ts";
import { inconclusiveVerdict, passedVerdict, richVerdict } from "../../gate/samples.ts";
import { NOW } from "../../harness.ts";
import fc from "../../property.ts";
import { forbiddenIn } from "../samples.ts";
import { commandsIn, hostileVerdict, verdicts } from "./samples.ts";

const schema = readFileSync(join(import.meta.dirname, "junit.xsd"), "utf8");
const junit = (verdict = richVerdict(), onInconclusive: OnInconclusive = "fail") =>
  gateJunit(verdict, { now: NOW, onInconclusive });

/** The errors that libxml2 finds in the documents. */
async function validationErrors(contents: readonly string[]) {
  const xml: XMLFileInfo[] = contents.map((text, at) => ({ fileName: `${at}.xml`, contents: text }));
  const { errors } = await validateXML({ xml, schema });
  return errors;
}

/** The names of the test cases as libxml2 parses them. */
async function parseCaseNames(contents: string): Promise<string[]> {
  const options: XMLLintOptions = {
    xml: { fileName: "a.xml", contents },
    schema,
    normalization: "c14n",
  };
  const { normalized } = await validateXML(options);
  const entities: Record<string, string> = {
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    "#xA": "\n",
    "#xD": "\r",
    "#x9": "\t",
  };
  return [...normalized.matchAll(/<testcase classname="[^"]*" name="([^"]*)" time=/g)].map(([, value = ""]) =>
    value.replace(/&([^;]+);/g, (whole, name: string) => entities[name] ?? whole),
  );
}

describe("the document", () => {
  test("has a case for each checked row and limit", () => {
    expect(`\n${junit()}`).toMatchInlineSnapshot(`
      "
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites>
      <testsuite id="0" name="playtest gate ember · production · 20 → 22 testers" package="playtest.gate" hostname="localhost" timestamp="2026-03-01T12:00:00" tests="11" failures="3" errors="0" skipped="3" time="0">
      <properties>
      <property name="game" value="ember"/>
      <property name="environment" value="production"/>
      <property name="a" value="0.8.0"/>
      <property name="b" value="0.9.0"/>
      <property name="verdict" value="failed"/>
      </properties>
      <testcase classname="playtest.gate.ember.friction" name="difficulty-spike:furnace" time="0"><failure message="worse: 0/20 → 11/22, +50 pts, limit +10" type="friction">row: difficulty-spike:furnace
      title: Difficulty spike in furnace
      rule: fails if it is worse beyond chance and the increase exceeds 10 points
      found: 0/20 → 11/22, +50 pts, limit +10
      evidence: ins_01 in ses_07: Died nine times at the furnace
      evidence: ins_02 in ses_09</failure></testcase>
      <testcase classname="playtest.gate.ember.quits" name="quit:vault" time="0"><failure message="worse: 9/12 who entered, limit 40%" type="quits">row: quit:vault
      title: Quit in vault
      rule: fails if surely more than 40% of those who entered the new room are affected
      found: 9/12 who entered, limit 40%</failure></testcase>
      <testcase classname="playtest.gate.ember.friction" name="stuck-point:level-02" time="0"/>
      <testcase classname="playtest.gate.ember.friction" name="pacing-issue:intro" time="0"><skipped message="allowed: PT-12: the intro is being cut"/></testcase>
      <testcase classname="playtest.gate.ember.friction" name="ui-friction:shop" time="0"><skipped message="too few testers: 1/20 → 12/22, +50 pts, limit +10"/></testcase>
      <testcase classname="playtest.gate.ember.friction" name="negative-moment:boss" time="0"/>
      <testcase classname="playtest.gate.ember.friction" name="confusion:map" time="0"/>
      <testcase classname="playtest.gate.ember.quits" name="quit:attic" time="0"><skipped message="not comparable: room is new, and few entered it"/></testcase>
      <testcase classname="playtest.gate.ember.limits" name="engagementRate: at least 75.0%" time="0"><failure message="engagementRate is 70.0% (limit: at least 75.0%)" type="limit">limit: at least 75.0%
      found: 70.0%</failure></testcase>
      <testcase classname="playtest.gate.ember.limits" name="medianActiveSec: at least 600 s" time="0"/>
      <testcase classname="playtest.gate.ember.limits" name="medianActiveSec: a decrease of at most 1%" time="0"/>
      <system-out>GATE FAILED: 0.9.0 vs 0.8.0, 3 of 8 checks failed, 2 warnings
      Watch (may be chance): negative-moment:boss 2/20 → 7/22, quit:attic 2/3
      A row is worse if its change is larger than chance, corrected for all rows of its family (single-step min-p over random divisions of the testers). Friction and crashes are compared in equally long play.
      Warning:
      row: stuck-point:level-02
      title: Stuck point in level-02
      rule: warns if it is worse beyond chance and the increase exceeds 10 points
      found: 9/20 → 21/22, +50 pts, limit +10
      Warning: medianActiveSec fell by 3.3% (limit: a decrease of at most 1%)
      1 session of 0.9.0 still receives events and is left out.
      The exception for pacing-issue:* expires on 2026-03-05.
      The exception for bug-report:* expired on 2026-02-01.
      Suggestion (not part of the verdict): Place a checkpoint before the furnace: Half of the testers fell.</system-out>
      <system-err></system-err>
      </testsuite>
      </testsuites>
      "
    `);
  });

  test("has a passed case for a row that does not fail", () => {
    expect(`\n${junit(passedVerdict())}`).toMatchInlineSnapshot(`
      "
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites>
      <testsuite id="0" name="playtest gate ember · production · 20 → 22 testers" package="playtest.gate" hostname="localhost" timestamp="2026-03-01T12:00:00" tests="1" failures="0" errors="0" skipped="0" time="0">
      <properties>
      <property name="game" value="ember"/>
      <property name="environment" value="production"/>
      <property name="a" value="0.8.0"/>
      <property name="b" value="0.9.0"/>
      <property name="verdict" value="passed"/>
      </properties>
      <testcase classname="playtest.gate.ember.friction" name="confusion:map" time="0"/>
      <system-out>GATE PASSED: 0.9.0 vs 0.8.0, 1 check, none failed
      A row is worse if its change is larger than chance, corrected for all rows of its family (single-step min-p over random divisions of the testers). Friction and crashes are compared in equally long play.</system-out>
      <system-err></system-err>
      </testsuite>
      </testsuites>
      "
    `);
  });

  test("has no cases for rows that do not decide", () => {
    expect(junit()).toContain('name="quit:vault"');
    expect(junit()).not.toContain('name="crash"');
  });

  test("has an error for an inconclusive verdict, or a skipped case if that does not fail", () => {
    const outcomes = (["fail", "warn", "pass"] as const).map(
      (onInconclusive) =>
        /<(error|skipped) message="NOT ENOUGH DATA: [^"]+/.exec(
          junit(inconclusiveVerdict(), onInconclusive),
        )?.[0],
    );
    const reason = "0.9.0 has 2 testers in production, 5 needed";
    expect(outcomes).toEqual(
      ["error", "skipped", "skipped"].map(
        (element) => `<${element} message="NOT ENOUGH DATA: 0.9.0 vs 0.8.0, nothing checked: ${reason}`,
      ),
    );
    expect(junit(inconclusiveVerdict(), "fail")).toContain('errors="1"');
    expect(junit(inconclusiveVerdict(), "pass")).toContain('errors="0"');
  });

  test("is valid", async () => {
    const documents = verdicts.flatMap(([, verdict]) => [junit(verdict), junit(verdict, "warn")]);
    expect(await validationErrors(documents)).toEqual([]);
  });
});

test("the schema rejects invalid documents", async () => {
  const valid = junit();
  const broken = [
    valid.replace("<system-err></system-err>", ""),
    valid.replace(/ type="friction"/, ""),
    valid.replace(/timestamp="[^"]*"/, 'timestamp="2026-03-01T12:00:00Z"'),
    valid.replace("</testsuite>", ""),
    valid.replace("→", "\x01"),
  ];
  for (const document of broken) expect(await validationErrors([document])).not.toEqual([]);
});

describe("hostile text", () => {
  const samples = fc.sample(hostileVerdict, { numRuns: 60, seed: 5 });

  test("keeps the document valid and free of commands for a CI runner", async () => {
    const documents = samples.flatMap((verdict) => [junit(verdict), junit(verdict, "pass")]);
    expect(await validationErrors(documents)).toEqual([]);
    for (const document of documents) {
      expect(forbiddenIn(document, "\n\u200d")).toEqual([]);
      expect(commandsIn(document)).toEqual([]);
    }
  });

  test("is parsed unchanged", async () => {
    for (const verdict of samples.slice(0, 10)) {
      const expected = [
        ...(verdict.verdict === "inconclusive" ? ["Enough data to decide"] : []),
        ...verdict.checks
          .filter(({ ruling, level }) => ruling !== "off" && level !== "off")
          .map(({ id }) => cleanLine(id)),
        ...verdict.limits.map(({ name, expected: bound }) => cleanLine(`${name}: ${bound}`)),
      ];
      const names = await parseCaseNames(junit(verdict));
      expect(names.sort()).toEqual(expected.sort());
    }
  });

  test("does not change the counts of cases", () => {
    fc.assert(
      fc.property(hostileVerdict, (verdict) => {
        const document = junit(verdict);
        const count = (element: string) => document.split(`<${element}`).length - 1;
        const attribute = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(document)?.[1]);
        expect([
          attribute("tests"),
          attribute("failures"),
          attribute("errors"),
          attribute("skipped"),
        ]).toEqual([count("testcase "), count("failure "), count("error "), count("skipped ")]);
      }),
    );
  });
});
