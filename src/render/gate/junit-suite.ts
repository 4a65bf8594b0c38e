/** A JUnit document with one suite. Its elements and attributes are those of the common JUnit schema. */
import { cleanBlock, cleanLine, escapeCommands, MAX_TEXT_LENGTH } from "../text.ts";

/** A case, explained by `lines`. */
export interface TestCase {
  readonly classname: string;
  readonly name: string;
  readonly outcome: "passed" | "failure" | "error" | "skipped";
  readonly message: string;
  readonly type: string;
  readonly lines: readonly string[];
  /** Text for the output of the suite; null for none. */
  readonly output: string | null;
}

export interface TestSuite {
  readonly name: string;
  /** Unix ms: when the suite ran. */
  readonly now: number;
  readonly properties: Readonly<Record<string, string>>;
  readonly cases: readonly TestCase[];
  readonly output: string;
}

/** The document, ending in a line feed. */
export function renderSuite({ name, now, properties, cases, output }: TestSuite): string {
  const count = (outcome: TestCase["outcome"]) =>
    cases.filter((testCase) => testCase.outcome === outcome).length;
  const suite = xmlTag("testsuite", {
    id: 0,
    name,
    package: "playtest.gate",
    hostname: "localhost",
    timestamp: new Date(now).toISOString().slice(0, 19),
    tests: cases.length,
    failures: count("failure"),
    errors: count("error"),
    skipped: count("skipped"),
    time: 0,
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `${suite}>`,
    "<properties>",
    ...Object.entries(properties).map(([key, value]) => `${xmlTag("property", { name: key, value })}/>`),
    "</properties>",
    ...cases.map(formatCase),
    `<system-out>${xmlText(output)}</system-out>`,
    "<system-err></system-err>",
    "</testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function formatCase({ classname, name, outcome, message, type, lines }: TestCase): string {
  const start = xmlTag("testcase", { classname, name, time: 0 });
  if (outcome === "passed") return `${start}/>`;
  if (outcome === "skipped") return `${start}>${xmlTag("skipped", { message })}/></testcase>`;
  return `${start}>${xmlTag(outcome, { message, type })}>${xmlText(lines.join("\n"))}</${outcome}></testcase>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Escapes XML, and also commands that a CI service would execute in its log. */
const escapeXml = (text: string) =>
  escapeCommands(
    text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character),
    (character) => `&#${character.charCodeAt(0)};`,
  );

/** The text of an element lists many findings, so that it may be longer than other texts. */
const MAX_LIST_LENGTH = 20 * MAX_TEXT_LENGTH;

/** Text between tags. Characters that XML forbids become visible escapes; line feeds are kept. */
const xmlText = (text: string) => escapeXml(cleanBlock(text, MAX_LIST_LENGTH));

/** The start of an element with its attributes, without the closing `>`. Line feeds in values are escaped. */
function xmlTag(name: string, attributes: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(cleanLine(String(value)))}"`,
  );
  return `<${name}${pairs.join("")}`;
}
