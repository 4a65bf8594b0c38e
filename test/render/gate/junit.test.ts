/** The gate as JUnit XML: valid by the common schema of Jenkins and Ant, and escaped. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { validateXML, type XMLFileInfo, type XMLLintOptions } from "xmllint-wasm";
import type { OnInconclusive } from "../../../src/gate/config.ts";
import { gateJunit } from "../../../src/render/gate/junit.ts";
import { cleanLine } from "../../../src/render/text.ts";
import { formatTitleAndTag } from "../../../src/shared/tags.ts";
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
  test("has a case for each tag and limit", () => {
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
      <testcase classname="playtest.gate.ember.tags" name="Difficulty spike in furnace (difficulty-spike:furnace)" time="0"><failure message="Introduced: +50.0 percentage points, 0 of 20 → 11 of 22, corrected p = 0.0002" type="introduced">tag: difficulty-spike:furnace
      rule: fails if the increase exceeds 10 percentage points and the corrected p-value is at most 0.05 (minimum: 5 testers per build)
      found: +50.0 percentage points, 0 of 20 → 11 of 22, corrected p = 0.0002
      testers: 20 in 0.8.0, 22 in 0.9.0
      evidence: ins_01 in ses_07: Died nine times at the furnace
      evidence: ins_02 in ses_09</failure></testcase>
      <testcase classname="playtest.gate.ember.tags" name="Bugs: save (bug-report:save)" time="0"><failure message="Got larger: +49.5 percentage points, 1 of 20 → 12 of 22, corrected p = 0.001" type="got_larger">tag: bug-report:save
      rule: fails if the increase exceeds 10 percentage points and the corrected p-value is at most 0.05 (minimum: 5 testers per build)
      found: +49.5 percentage points, 1 of 20 → 12 of 22, corrected p = 0.001
      testers: 20 in 0.8.0, 22 in 0.9.0</failure></testcase>
      <testcase classname="playtest.gate.ember.tags" name="Stuck point in level-02 (stuck-point:level-02)" time="0"/>
      <testcase classname="playtest.gate.ember.tags" name="Left boss unfinished (negative-moment:boss)" time="0"/>
      <testcase classname="playtest.gate.ember.tags" name="UI friction in shop (ui-friction:shop)" time="0"><skipped message="too few testers: +49.5 percentage points, 1 of 20 → 12 of 22"/></testcase>
      <testcase classname="playtest.gate.ember.tags" name="Pacing issue in intro (pacing-issue:intro)" time="0"><skipped message="allowed: PT-12: the intro is being cut"/></testcase>
      <testcase classname="playtest.gate.ember.limits" name="engagementRate: at least 75.0%" time="0"><failure message="engagementRate is 70.0% (limit: at least 75.0%)" type="limit">limit: at least 75.0%
      found: 70.0%</failure></testcase>
      <testcase classname="playtest.gate.ember.limits" name="medianActiveSec: at least 600 s" time="0"/>
      <testcase classname="playtest.gate.ember.limits" name="medianActiveSec: a decrease of at most 1%" time="0"/>
      <testcase classname="playtest.gate.ember.limits" name="bugReportsPerSession: at most 2" time="0"/>
      <system-out>failed: 3 failures (2 tags, 1 limit), 2 warnings (1 tag, 1 limit), 5 tags compared.
      Build 0.9.0 has friction that is worse than in 0.8.0: Difficulty spike in furnace (11 of 22 testers, before 0 of 20); Bugs: save (12 of 22 testers, before 1 of 20).
      Build 0.9.0 crosses the limits of engagementRate.
      With 20 and 22 testers, a new problem must affect 6 of 22 to be noticed.
      All testers count, even if those of one build played more, because what each tester played is not known. Metrics with limits are of all environments and not tested. P-values: one-sided Fisher&apos;s exact test, corrected for the number of compared tags (Westfall and Wolfinger).
      Warning:
      tag: stuck-point:level-02
      rule: warns if the increase exceeds 10 percentage points and the corrected p-value is at most 0.05 (minimum: 5 testers per build)
      found: +50.5 percentage points, 9 of 20 → 21 of 22, corrected p = 0.00053
      testers: 20 in 0.8.0, 22 in 0.9.0
      Warning: medianActiveSec fell by 3.3% (limit: a decrease of at most 1%)
      UI friction in shop (ui-friction:shop) got larger: +49.5 percentage points, but its rule requires 50 testers per build (the builds have 20 and 22).
      The exception for pacing-issue:* expires on 2026-03-05.
      The exception for bug-report:* expired on 2026-02-01. The tag is checked again.
      Suggestion (not part of the verdict): Place a checkpoint before the furnace: Half of the testers fell.</system-out>
      <system-err></system-err>
      </testsuite>
      </testsuites>
      "
    `);
  });

  test("has no cases for tags that are off", () => {
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
      <system-out>passed: No failures, 1 tag compared.
      Build 0.9.0 is not measurably worse than 0.8.0: no friction increased significantly beyond its limit (1 tag compared).
      With 20 and 22 testers, a new problem must affect 6 of 22 to be noticed.
      All testers count, even if those of one build played more, because what each tester played is not known. Metrics with limits are of all environments and not tested. P-values: one-sided Fisher&apos;s exact test, corrected for the number of compared tags (Westfall and Wolfinger).</system-out>
      <system-err></system-err>
      </testsuite>
      </testsuites>
      "
    `);
  });

  test("has an error for an inconclusive verdict, or a skipped case if that does not fail", () => {
    const outcomes = (["fail", "warn", "pass"] as const).map(
      (onInconclusive) =>
        /<(error|skipped) message="inconclusive: [^"]+/.exec(
          junit(inconclusiveVerdict(), onInconclusive),
        )?.[0],
    );
    const reason = "build 0.9.0 has 2 testers in production; at least 5 are required";
    expect(outcomes).toEqual(
      ["error", "skipped", "skipped"].map((element) => `<${element} message="inconclusive: ${reason}`),
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
    valid.replace(/ type="introduced"/, ""),
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
        ...verdict.findings
          .filter(({ status }) => status !== "off")
          .map(({ tag }) => cleanLine(formatTitleAndTag({ tag }))),
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
