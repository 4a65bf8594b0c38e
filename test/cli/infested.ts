/** Runs commands on answers with a hostile text in place of every string. */
import { expect } from "vitest";
import { answers, endpointOf } from "../client/answers.ts";
import { type Given, script } from "../client/script.ts";
import { runCli } from "../harness.ts";
import { forbiddenIn } from "../render/samples.ts";

export const env = {
  PLAYTEST_BASE_URL: "http://127.0.0.1:1",
  PLAYTEST_KEY: "k",
  PLAYTEST_INGEST_KEY: "i",
  PLAYTEST_GAME: "ember",
};

/** Commands whose JSON combines several answers, so that it equals none of them. */
const combiningLines = ["builds list"];

/** A body with a text in place of every string, in keys of maps too. */
export function infested(value: unknown, text: string): unknown {
  if (typeof value === "string") return text;
  if (Array.isArray(value)) return value.map((item) => infested(item, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      const isMap =
        key === "byName" || key === "event_counts" || key === "summaryState" || key === "metadata";
      return [key, isMap ? { ...(infested(child, text) as object), [text]: 1 } : infested(child, text)];
    }),
  );
}

/** Runs a command in front of a service that gives one reply. */
export async function run(line: string, flags: string[], reply: Given, tty: boolean) {
  const { transport } = script(reply);
  return await runCli([...line.split(" "), ...flags], { env, transport, tty, columns: 80, colors: 0 });
}

/** Expects that a text in every field of an answer is harmless in every format of a command, and whole in JSON. */
export async function expectHarmless(line: string, name: string, text: string): Promise<void> {
  const body = infested(answers[name], text);
  for (const tty of [true, false]) {
    for (const flags of [[], ["--wide"], ["--plain"], ["--format", "md"], ["--format", "csv"]]) {
      const { code, out, err } = await run(line, flags, { body }, tty);
      expect([code, err]).toEqual([0, ""]);
      expect(forbiddenIn(out, "\n")).toEqual([]);
    }
    const tsv = await run(line, ["--format", "tsv"], { body }, tty);
    expect(forbiddenIn(tsv.out, "\n\t")).toEqual([]);
    const json = await run(line, ["--json"], { body }, tty);
    expect(forbiddenIn(json.out, "\n")).toEqual([]);
    const parsed: unknown = JSON.parse(json.out);
    if (!combiningLines.includes(line)) expect(parsed).toEqual(body);
    const ndjson = await run(line, ["--format", "ndjson"], { body }, tty);
    for (const one of ndjson.out.split("\n").slice(0, -1)) JSON.parse(one);
    expect(forbiddenIn(ndjson.out, "\n")).toEqual([]);
  }
}

/** Commands that make one document of several answers. */
export const gatheringLines = [
  "report 1 2 --format html",
  "report 1 2 --format md",
  "report 1 2 --format json",
  "events --by week",
];

/** Expects that a text in every field of all answers is harmless in what a command makes of them. */
export async function expectGatheredHarmless(line: string, text: string): Promise<void> {
  const { transport } = script(({ url }) => ({ body: infested(answers[endpointOf(url)], text) }));
  const { code, out } = await runCli(line.split(" "), { env, transport, tty: false, columns: 80, colors: 0 });
  expect([code, forbiddenIn(out, "\n")]).toEqual([0, []]);
  if (line.endsWith("html")) expect(out).not.toMatch(/<(img|a|script)\b|<[^>]*\son\w+=/);
  if (line.endsWith("md")) expect(out).not.toMatch(/<(?!br>|!-- -->)|(?<!\\)\]\(/);
  if (!line.endsWith("json")) expect(out.length).toBeLessThan(500_000);
}
