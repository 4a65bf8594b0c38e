/** Runs commands on responses in which every string is replaced with a hostile text. */
import { expect } from "vitest";
import { EXTENSIONS_HEADER } from "../../src/contract/announcement.ts";
import { findEndpoint, responseBodies } from "../client/response-fixtures.ts";
import { allAnnounced, type ScriptedReply, script } from "../client/script.ts";
import { runCli } from "../harness.ts";
import { activeContentIn } from "../render/github-markdown.ts";
import { forbiddenIn } from "../render/samples.ts";
import { withoutNotices } from "./read-commands.ts";

export const env = {
  PLAYTEST_BASE_URL: "http://127.0.0.1:1",
  PLAYTEST_KEY: "k",
  PLAYTEST_INGEST_KEY: "i",
  PLAYTEST_GAME: "ember",
};

/** Commands whose JSON combines several responses. */
const combiningLines = ["builds list"];

/** A body with every string, including the keys of maps, replaced with a text, or with the next one that a function returns. */
export function replaceStrings(value: unknown, text: string | (() => string)): unknown {
  const next = typeof text === "string" ? () => text : text;
  if (typeof value === "string") return next();
  if (Array.isArray(value)) return value.map((item) => replaceStrings(item, next));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      const isMap =
        key === "byName" || key === "event_counts" || key === "summaryState" || key === "metadata";
      // Any other kind of answer is refused, because it says what the number of the answer means.
      const replaced = key === "kind" && child === "rating" ? child : replaceStrings(child, next);
      return [key, isMap ? { ...(replaced as object), [next()]: 1 } : replaced];
    }),
  );
}

/**
 * A body whose strings get different texts in turn, beginning with the text at `first`, so that with each value of `first`
 * every string gets another text.
 */
export function mixStrings(value: unknown, texts: readonly string[], first: number): unknown {
  let at = first;
  return replaceStrings(value, () => texts[at++ % texts.length] ?? "");
}

/** Runs a command against a service that sends one response. */
export async function run(line: string, flags: readonly string[], reply: ScriptedReply, tty: boolean) {
  const { transport } = script({ headers: allAnnounced, ...reply });
  return await runCli([...line.split(" "), ...flags], { env, transport, tty, columns: 80, colors: 0 });
}

interface Format {
  readonly flags: readonly string[];
  /** The forbidden characters that the format contains. */
  readonly allowed: string;
}

const formats: readonly Format[] = [
  { flags: [], allowed: "\n" },
  { flags: ["--wide"], allowed: "\n" },
  { flags: ["--plain"], allowed: "\n" },
  { flags: ["--format", "md"], allowed: "\n" },
  { flags: ["--format", "csv"], allowed: "\n" },
  { flags: ["--format", "tsv"], allowed: "\n\t" },
  { flags: ["--format", "ndjson"], allowed: "\n" },
  { flags: ["--json"], allowed: "\n" },
];

/** A run of a command in a format, at a terminal or without one. */
type Run = Format & { readonly tty: boolean };

/** All runs that show a response differently. */
export const runs: readonly Run[] = formats.flatMap((format) =>
  [true, false].map((tty) => ({ ...format, tty })),
);

/** Expects that the texts of a response are harmless in the output of a run, and unchanged in JSON. */
export async function expectHarmless(
  line: string,
  body: unknown,
  { flags, allowed, tty }: Run,
): Promise<void> {
  const { code, out, err } = await run(line, flags, { body }, tty);
  expect([code, withoutNotices(err)]).toEqual([0, ""]);
  expect(forbiddenIn(out, allowed)).toEqual([]);
  const format = flags.at(-1);
  // Unformatted numbers, such as times in Unix ms, are not text. GitHub links one only if a commit has this id.
  if (format === "md") expect(activeContentIn(out.replace(/\b\d{7,}\b/g, "0"))).toEqual([]);
  if (format === "ndjson") for (const one of out.split("\n").slice(0, -1)) JSON.parse(one);
  const parsed: unknown = format === "--json" ? JSON.parse(out) : body;
  if (!combiningLines.includes(line)) expect(parsed).toEqual(body);
}

/** What a service with all extensions announces. */
const ALL = allAnnounced[EXTENSIONS_HEADER];

/** Commands that create one document from several responses. */
export const combiningCommands = [
  "report 1 2 --format html",
  "report 1 2 --format md",
  "report 1 2 --format json",
  "events --by week",
  "builds blame x",
  "status",
  "status --wide --format md",
];

/** Expects that a text in every field of all responses is harmless in the output of a command. */
export async function expectCombinedHarmless(line: string, text: string): Promise<void> {
  for (const announced of [ALL, "", "getBuildFacts", "getScorecard", "getStatus", "console"])
    await expectAnnouncedHarmless(line, text, announced);
}

async function expectAnnouncedHarmless(line: string, text: string, announced: string): Promise<void> {
  const { transport } = script(({ url }) => ({
    body: replaceStrings(responseBodies[findEndpoint(url)], text),
    headers: { [EXTENSIONS_HEADER]: announced },
  }));
  const { code, out } = await runCli(line.split(" "), { env, transport, tty: false, columns: 80, colors: 0 });
  // Without some extensions, a command may only say that it needs them.
  expect(announced === ALL ? [0] : [0, 54]).toContain(code);
  expect(forbiddenIn(out, "\n")).toEqual([]);
  // The only links are those into the console, whose address is the user's.
  const unlinked = out.replaceAll(/<a href="http:\/\/127\.0\.0\.1:1\/games\/[^"<>]*">/g, "");
  if (line.endsWith("html")) expect(unlinked).not.toMatch(/<(img|a|script)\b|<[^>]*\son\w+=/);
  if (line.endsWith("md")) expect(activeContentIn(out)).toEqual([]);
  if (!line.endsWith("json")) expect(out.length).toBeLessThan(500_000);
}
