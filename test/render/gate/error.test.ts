/** The reports of a gate that ended with an error: their content, and that hostile text stays in its place. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { validateXML } from "xmllint-wasm";
import { type GateError, gateError } from "../../../src/gate/gate-error.ts";
import {
  gateErrorAnnotation,
  gateErrorComment,
  gateErrorJson,
  gateErrorJunit,
  gateErrorMarkdown,
  gateErrorOutputs,
  gateErrorText,
} from "../../../src/render/gate/error.ts";
import fc from "../../property.ts";
import { activeContentIn } from "../github-markdown.ts";
import { forbiddenIn, hostileText } from "../samples.ts";
import { commandsIn } from "./samples.ts";

const failure: GateError = {
  schemaVersion: 2,
  verdict: "error",
  game: "ember",
  environment: "production",
  a: "previous",
  b: "0.9.0",
  error: {
    code: "network",
    message: "Cannot reach https://play.test: connection refused",
    hint: "Check the base URL and the network.",
    status: null,
    requestId: null,
    exitCode: 51,
  },
};

const NOW = Date.UTC(2026, 2, 1, 12);

describe("the error of a gate", () => {
  test("is a comment that starts with the error and ends with the marker of its game and environment", () => {
    expect(`\n${gateErrorComment(failure)}`).toMatchInlineSnapshot(`
      "
      ### Gate error: Cannot reach https:<!-- -->//play.test: connection refused

      There is no verdict: 0.9.0 was not compared with previous (game: ember, environment: production, exit code 51).

      Hint: Check the base URL and the network.

      <!-- playtest-gate:ember:production -->
      "
    `);
  });

  test("is a JUnit suite with one error", () => {
    expect(`\n${gateErrorJunit(failure, NOW)}`).toMatchInlineSnapshot(`
      "
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites>
      <testsuite id="0" name="playtest gate ember: previous to 0.9.0, in production" package="playtest.gate" hostname="localhost" timestamp="2026-03-01T12:00:00" tests="1" failures="0" errors="1" skipped="0" time="0">
      <properties>
      <property name="game" value="ember"/>
      <property name="environment" value="production"/>
      <property name="a" value="previous"/>
      <property name="b" value="0.9.0"/>
      <property name="verdict" value="error"/>
      </properties>
      <testcase classname="playtest.gate.ember.verdict" name="The gate has a verdict" time="0"><error message="Cannot reach https://play.test: connection refused" type="network">Hint: Check the base URL and the network.
      Exit code: 51</error></testcase>
      <system-out>error: Cannot reach https://play.test: connection refused</system-out>
      <system-err></system-err>
      </testsuite>
      </testsuites>
      "
    `);
  });

  test("is an annotation and outputs of the step", () => {
    expect(`\n${gateErrorAnnotation(failure)}${gateErrorOutputs(failure)}`).toMatchInlineSnapshot(`
      "
      ::error title=Playtest gate error::Cannot reach https://play.test: connection refused%0AHint: Check the base URL and the network.%0AExit code: 51
      verdict<<GATE_END
      error
      GATE_END
      failed<<GATE_END

      GATE_END
      warned<<GATE_END

      GATE_END
      judged<<GATE_END

      GATE_END
      reasons<<GATE_END
      Cannot reach https://play.test: connection refused
      GATE_END
      error<<GATE_END
      network
      GATE_END
      message<<GATE_END
      Cannot reach https://play.test: connection refused
      GATE_END
      exit-code<<GATE_END
      51
      GATE_END
      "
    `);
  });

  test("is text", () => {
    expect(`\n${gateErrorText(failure)}`).toMatchInlineSnapshot(`
      "
      ✗ ERROR: Cannot reach https://play.test: connection refused
      No verdict (exit code 51). Check the base URL and the network.
      "
    `);
  });
});

const text = fc
  .array(
    fc.oneof(
      hostileText,
      fc.constantFrom(
        "::error::x",
        "\n::error::x",
        "##[error]x",
        "]]>",
        "<!--",
        "-->",
        "\nGATE_END\nx=1",
        "|",
        "`",
      ),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(""));

test("hostile text stays in its place in every report", async () => {
  const documents: string[] = [];
  const hostile = fc.record({ game: fc.option(text), environment: text, a: text, b: text, message: text });
  fc.assert(
    fc.property(hostile, ({ message, ...rest }) => {
      const attacked: GateError = {
        ...failure,
        ...rest,
        error: { ...failure.error, message, hint: message, requestId: message },
      };
      expect(gateError.parse(JSON.parse(gateErrorJson(attacked)))).toEqual(attacked);
      const annotation = gateErrorAnnotation(attacked);
      expect(annotation.split("\n")).toHaveLength(2);
      expect(commandsIn(annotation)).toHaveLength(1);
      const junit = gateErrorJunit(attacked, NOW);
      documents.push(junit);
      expect(junit.match(/<[a-z]+/g)).toEqual(gateErrorJunit(failure, NOW).match(/<[a-z]+/g));
      for (const markdown of [gateErrorMarkdown(attacked), gateErrorComment(attacked)]) {
        expect(activeContentIn(markdown)).toEqual([]);
        expect(markdown.split("\n").filter((line) => line.startsWith("#"))).toHaveLength(1);
      }
      for (const report of [junit, gateErrorText(attacked), gateErrorComment(attacked)]) {
        expect(commandsIn(report)).toEqual([]);
        expect(forbiddenIn(report, "\n\u200d")).toEqual([]);
      }
      const outputs = gateErrorOutputs(attacked).split("\n");
      const names = outputs
        .filter((line) => /^[\w-]+<<GATE_END_*$/.test(line))
        .map((line) => line.split("<<")[0]);
      expect(names).toEqual(expect.arrayContaining(["verdict", "reasons", "error", "message", "exit-code"]));
      expect(outputs).toHaveLength(8 * 3 + 1);
    }),
  );
  const xml = documents.map((contents, at) => ({ fileName: `${at}.xml`, contents }));
  const schema = readFileSync(join(import.meta.dirname, "junit.xsd"), "utf8");
  expect((await validateXML({ xml, schema })).errors).toEqual([]);
});
