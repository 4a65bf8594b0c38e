/** Every page names a command that shows the same, and its JSON is what the command prints with --json. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDemo } from "../cli/demo.ts";
import { runCli, type TestService } from "../harness.ts";
import { crawl } from "./crawl.ts";
import { signIn, visit } from "./harness.ts";

let service: TestService;

beforeAll(async () => {
  service = await startDemo("studio", { console: { identity: null } });
}, 60_000);

afterAll(async () => {
  await service.stop();
});

/** Splits a command line as a POSIX shell does, for the quoting that pages use. */
function splitCommand(line: string): string[] {
  const words = line.match(/(?:[^\s']|'[^']*')+/g) ?? [];
  return words.map((word) => word.replaceAll("'", ""));
}

const readCommand = (html: string) =>
  (/In a terminal: <code>([^<]*)<\/code>/.exec(html)?.[1] ?? "")
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

test("the command of every page prints its JSON", { timeout: 120_000 }, async () => {
  const cookie = await signIn(service);
  const kinds = new Set<string>();
  for await (const { path, kind, page } of crawl(service, cookie, 3)) {
    expect([path, page.status]).toEqual([path, 200]);
    const [program, ...args] = splitCommand(readCommand(page.text));
    expect([path, program]).toEqual([path, "playtest"]);
    const { out, err, code } = await runCli([...args, "--json"], { service });
    expect([path, code, err]).toEqual([path, 0, ""]);
    const separator = path.includes("?") ? "&" : "?";
    const { json } = await visit(service, `${path}${separator}format=json`, { cookie });
    expect([path, json]).toEqual([path, JSON.parse(out)]);
    kinds.add(kind);
  }
  expect([...kinds].sort()).toMatchSnapshot();
});
