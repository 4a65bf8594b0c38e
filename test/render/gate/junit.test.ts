/** The gate as JUnit XML: valid by the schema that Jenkins' and Ant's have in common, and every name comes back. */
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

/** What libxml2 finds wrong with the documents. */
async function faultsOf(contents: readonly string[]) {
  const xml: XMLFileInfo[] = contents.map((text, at) => ({ fileName: `${at}.xml`, contents: text }));
  const { errors } = await validateXML({ xml, schema });
  return errors;
}

/** A document as libxml2 reads it, in canonical form: its attributes' values, in order. */
async function attributesOf(contents: string): Promise<string[]> {
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

describe("a verdict", () => {
  test("that failed", () => {
    expect(`\n${junit()}`).toMatchInlineSnapshot(`
      "
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites>
      <testsuite id="0" name="playtest gate ember: 0.8.0 (20 testers) to 0.9.0 (22 testers), in production" package="playtest.gate" hostname="localhost" timestamp="2026-03-01T12:00:00" tests="10" failures="3" errors="0" skipped="2" time="0">
      <properties>
      <property name="game" value="ember"/>
      <property name="environment" value="production"/>
      <property name="a" value="0.8.0"/>
      <property name="b" value="0.9.0"/>
      <property name="method" value="fisher"/>
      <property name="verdict" value="failed"/>
      </properties>
      <testcase classname="playtest.gate.ember.tags" name="difficulty-spike:furnace" time="0"><failure message="introduced: +50.0 points, 0 of 20 → 11 of 22, p = 0.0002 after correction" type="introduced">tag: difficulty-spike:furnace
      expected: a growth of at most 10 points, or a chance above 0.05 after correction; 5 testers a build
      found: +50.0 points, 0 of 20 → 11 of 22, p = 0.0002 after correction
      testers: 20 of 0.8.0, 22 of 0.9.0
      evidence: ins_01 in ses_07: Died nine times at the furnace
      evidence: ins_02 in ses_09</failure></testcase>
      <testcase classname="playtest.gate.ember.tags" name="bug-report:save" time="0"><failure message="got_larger: +49.5 points, 1 of 20 → 12 of 22, p = 0.001 after correction" type="got_larger">tag: bug-report:save
      expected: a growth of at most 10 points, or a chance above 0.05 after correction; 5 testers a build
      found: +49.5 points, 1 of 20 → 12 of 22, p = 0.001 after correction
      testers: 20 of 0.8.0, 22 of 0.9.0</failure></testcase>
      <testcase classname="playtest.gate.ember.tags" name="stuck-point:level-02" time="0"/>
      <testcase classname="playtest.gate.ember.tags" name="negative-moment:boss" time="0"/>
      <testcase classname="playtest.gate.ember.tags" name="ui-friction:shop" time="0"><skipped message="too few testers to judge it: +49.5 points, 1 of 20 → 12 of 22"/></testcase>
      <testcase classname="playtest.gate.ember.tags" name="pacing-issue:intro" time="0"><skipped message="allowed: PT-12: the intro is being cut"/></testcase>
      <testcase classname="playtest.gate.ember.limits" name="engagementRate: at least 75.0 %" time="0"><failure message="engagementRate is 70.0 %, expected at least 75.0 %" type="limit">expected: at least 75.0 %
      found: 70.0 %</failure></testcase>
      <testcase classname="playtest.gate.ember.limits" name="medianActiveSec: at least 600 s" time="0"/>
      <testcase classname="playtest.gate.ember.limits" name="medianActiveSec: a drop of at most 1 %" time="0"/>
      <testcase classname="playtest.gate.ember.limits" name="bugReportsPerSession: at most 2" time="0"/>
      <system-out>failed: 3 failures among 5 tags judged; 2 warnings.
      Judged by Fisher&apos;s exact test, one-sided, corrected for the tags judged (Westfall and Wolfinger).
      Warning:
      tag: stuck-point:level-02
      expected: a growth of at most 10 points, or a chance above 0.05 after correction; 5 testers a build
      found: +50.5 points, 9 of 20 → 21 of 22, p = 0.00053 after correction
      testers: 20 of 0.8.0, 22 of 0.9.0
      Warning: medianActiveSec is -3.3 %, expected a drop of at most 1 %
      ui-friction:shop was made worse: +49.5 points, but its rule takes 50 testers a build, not 20 and 22.
      The allowance of pacing-issue:* expires on 2026-03-05.
      The allowance of bug-report:* expired on 2026-02-01: it counts again.
      Suggested, never judged: Place a checkpoint before the furnace: Half of the testers fell.</system-out>
      <system-err></system-err>
      </testsuite>
      </testsuites>
      "
    `);
  });

  test("that passed", () => {
    expect(`\n${junit(passedVerdict())}`).toMatchInlineSnapshot(`
      "
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites>
      <testsuite id="0" name="playtest gate ember: 0.8.0 (20 testers) to 0.9.0 (22 testers), in production" package="playtest.gate" hostname="localhost" timestamp="2026-03-01T12:00:00" tests="0" failures="0" errors="0" skipped="0" time="0">
      <properties>
      <property name="game" value="ember"/>
      <property name="environment" value="production"/>
      <property name="a" value="0.8.0"/>
      <property name="b" value="0.9.0"/>
      <property name="method" value="fisher"/>
      <property name="verdict" value="passed"/>
      </properties>
      <system-out>passed: No failure among 1 tag judged.
      Judged by Fisher&apos;s exact test, one-sided, corrected for the tags judged (Westfall and Wolfinger).</system-out>
      <system-err></system-err>
      </testsuite>
      </testsuites>
      "
    `);
  });

  test("that is inconclusive is an error, or skipped where that does not fail", () => {
    const found = (["fail", "warn", "pass"] as const).map(
      (how) => /<(error|skipped) message="inconclusive: [^"]+/.exec(junit(inconclusiveVerdict(), how))?.[0],
    );
    const reason = "build 0.9.0 has 2 of the 5 testers in production that it takes";
    expect(found).toEqual(
      ["error", "skipped", "skipped"].map((element) => `<${element} message="inconclusive: ${reason}`),
    );
    expect(junit(inconclusiveVerdict(), "fail")).toContain('errors="1"');
    expect(junit(inconclusiveVerdict(), "pass")).toContain('errors="0"');
  });

  test("is valid", async () => {
    const documents = verdicts.flatMap(([, verdict]) => [junit(verdict), junit(verdict, "warn")]);
    expect(await faultsOf(documents)).toEqual([]);
  });
});

test("the schema refuses what readers do", async () => {
  const sound = junit();
  const broken = [
    sound.replace("<system-err></system-err>", ""),
    sound.replace(/ type="introduced"/, ""),
    sound.replace(/timestamp="[^"]*"/, 'timestamp="2026-03-01T12:00:00Z"'),
    sound.replace("</testsuite>", ""),
    sound.replace("→", "\x01"),
  ];
  for (const document of broken) expect(await faultsOf([document])).not.toEqual([]);
});

describe("hostile text", () => {
  const samples = fc.sample(hostileVerdict, { numRuns: 60, seed: 5 });

  test("keeps the document valid, and commands no CI runner", async () => {
    const documents = samples.flatMap((verdict) => [junit(verdict), junit(verdict, "pass")]);
    expect(await faultsOf(documents)).toEqual([]);
    for (const document of documents) {
      expect(forbiddenIn(document, "\n\u200d")).toEqual([]);
      expect(commandsIn(document)).toEqual([]);
    }
  });

  test("is what a parser reads back", async () => {
    for (const verdict of samples.slice(0, 10)) {
      const expected = [
        ...(verdict.verdict === "inconclusive" ? ["conclusive"] : []),
        ...verdict.findings.filter(({ status }) => status !== "off").map(({ tag }) => cleanLine(tag)),
        ...verdict.limits.map(({ name, expected: bound }) => cleanLine(`${name}: ${bound}`)),
      ];
      const names = await attributesOf(junit(verdict));
      expect(names.sort()).toEqual(expected.sort());
    }
  });

  test("its counts are those of its cases", () => {
    fc.assert(
      fc.property(hostileVerdict, (verdict) => {
        const document = junit(verdict);
        const count = (element: string) => document.split(`<${element}`).length - 1;
        const told = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(document)?.[1]);
        expect([told("tests"), told("failures"), told("errors"), told("skipped")]).toEqual([
          count("testcase "),
          count("failure "),
          count("error "),
          count("skipped "),
        ]);
      }),
    );
  });
});
