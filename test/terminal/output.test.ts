/** Tests of output at a real terminal: tables, colors, spinners and pagers. */
import { existsSync, readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { listening } from "../cli/program.ts";
import { createPage, SESSION } from "../client/response-fixtures.ts";
import { Terminal } from "./terminal.ts";

const titles = [
  "First visit",
  "東京の鍛冶場で三回倒れた プレイヤーの長い記録",
  "\x1b[31mred\x07 and a long title, ".repeat(6),
];
const sessions = Array.from({ length: 100 }, (_, at) => ({
  ...SESSION,
  id: `sess_${at}`,
  title: titles[at % 3],
}));

/** The environment variables for a scripted service. */
async function serve(listener: RequestListener): Promise<Record<string, string>> {
  const port = await listening(listener);
  return { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`, PLAYTEST_KEY: "k" };
}

/** A service with one page of sessions. */
const onePage = () =>
  serve((request, response) => {
    const limit = Number(new URL(`http://x${request.url}`).searchParams.get("limit"));
    response.end(JSON.stringify(createPage(sessions.slice(0, limit), sessions.length)));
  });

/** A service with three pages, the last of which is delayed until it is released. */
async function slow() {
  let go = () => {};
  const last = new Promise<void>((resolve) => {
    go = resolve;
  });
  const env = await serve(async (request, response) => {
    const offset = Number(new URL(`http://x${request.url}`).searchParams.get("offset") ?? 0);
    if (offset === 200) await last;
    const items = sessions.map((session) => ({ ...session, id: `${session.id}_${offset}` }));
    response.end(JSON.stringify(createPage(items, 300, offset < 200)));
  });
  return { env, go: () => go() };
}

const ESCAPE = "\x1b[";
const SPINNER = /[⠀-⣿]/;

describe("a table", () => {
  test("is never wider than the window, even after the window is resized", async () => {
    const terminal = await Terminal.open(120, await onePage());
    const widths: number[] = [];
    for (const columns of [120, 80, 40, 100]) {
      await terminal.resize(columns);
      const { code, lines } = await terminal.run("playtest sessions list --limit 3");
      const width = Math.max(...lines.map((line) => stringWidth(line)));
      expect([code, width <= columns], lines.join("\n")).toEqual([0, true]);
      expect(lines.join("\n")).toContain("sess_");
      widths.push(width);
    }
    const [at120 = 0, at80 = 0, at40 = 0, at100 = 0] = widths;
    expect([at120 > at100, at100 > at80, at80 > at40], String(widths)).toEqual([true, true, true]);
  });

  test("has colors only if they are enabled", async () => {
    const terminal = await Terminal.open(100, await onePage());
    const list = "playtest sessions list --limit 3";
    const colored = async (line: string) => {
      const { code, text } = await terminal.run(line, { escapes: true });
      expect([code, text.includes("First visit")]).toEqual([0, true]);
      return text.includes(ESCAPE);
    };
    expect(await colored(list)).toBe(true);
    expect(await colored(`NO_COLOR=1 ${list}`)).toBe(false);
    expect(await colored(`NO_COLOR=1 ${list} --color always`)).toBe(true);
    expect(await colored(`${list} --color never`)).toBe(false);
    expect(await colored(`${list} --plain`)).toBe(false);
    expect(await colored(`TERM=dumb ${list}`)).toBe(false);
    expect(await colored(`${list} | cat`)).toBe(false);
    expect(await colored(`${list} --color always | cat`)).toBe(true);
  });
});

describe("a long list", () => {
  test("shows its progress and removes it from the screen", async () => {
    const { env, go } = await slow();
    const terminal = await Terminal.open(80, env);
    await terminal.enter("playtest sessions list --all --fields id");
    const during = await terminal.shows("Page 2 of 3: 200 of 300");
    expect(during).toMatch(SPINNER);
    // Hiding the cursor would require handlers for signals, which a long computation could ignore.
    expect(await terminal.cursor()).toBe(true);
    go();
    const { code, text } = await terminal.ended();
    expect([code, text.match(/sess_\d+_\d+/g)?.length]).toEqual([0, 300]);
    expect(text).not.toMatch(/Page \d|[⠀-⣿]/);
    expect(await terminal.cursor()).toBe(true);
  });

  test("writes no progress to a file", async () => {
    const { env, go } = await slow();
    const terminal = await Terminal.open(80, env);
    await terminal.enter("playtest sessions list --all --format csv > out.csv");
    await terminal.shows("Page 2 of 3: 200 of 300");
    go();
    const { code, lines } = await terminal.ended();
    expect([code, lines]).toEqual([0, []]);
    const written = readFileSync(join(terminal.home, "out.csv"), "utf8");
    expect(written.split("\n").length).toBe(302);
    expect(written).not.toMatch(/Page \d|[⠀-⣿]|\x1b/);
  });

  test("shows no spinner with --plain", async () => {
    const { env, go } = await slow();
    const terminal = await Terminal.open(80, env);
    go();
    const { lines } = await terminal.run(
      "playtest sessions list --all --plain --format csv --fields id 2>&1",
    );
    expect(lines.length).toBe(301);
    expect(lines.join("\n")).not.toMatch(SPINNER);
  });

  test("ends at Ctrl-C, removes its spinner and restores the cursor", async () => {
    const { env } = await slow();
    const terminal = await Terminal.open(80, env);
    await terminal.enter("playtest sessions list --all");
    await terminal.shows("Page 2 of 3: 200 of 300");
    await terminal.press("C-c");
    const { code, text } = await terminal.ended();
    expect(code).toBe(130);
    expect(text).not.toMatch(/Page \d|[⠀-⣿]/);
    expect(await terminal.cursor()).toBe(true);
  });
});

test("a pager shows all output, and closing it early is not an error", async () => {
  const terminal = await Terminal.open(80, await onePage());
  const list = "playtest sessions list --limit 100 --json --jq '.items[]'";
  await terminal.enter(`${list} | less; echo "codes \${PIPESTATUS[*]}"`);
  await terminal.shows('"id":"sess_0"');
  await terminal.press("G");
  await terminal.shows('"id":"sess_99"');
  await terminal.press("q");
  expect((await terminal.ended()).lines).toEqual(["codes 0 0"]);

  await terminal.enter(`${list} | less; echo "codes \${PIPESTATUS[*]}"`);
  await terminal.shows('"id":"sess_0"');
  await terminal.press("q");
  expect((await terminal.ended()).lines).toEqual(["codes 0 0"]);
});

test("keeps the terminal modes that a pager has set", async () => {
  const { env, go } = await slow();
  const terminal = await Terminal.open(80, env);
  // Like a pager: turns off echo after the first input and keeps it off until the end.
  const pager = [
    "head -c 1 > /dev/null",
    "stty -echo < /dev/tty",
    "cat > rest.csv",
    "stty -a < /dev/tty | grep -ow -e '-\\?echo'",
    "stty echo < /dev/tty",
  ];
  await terminal.enter(`playtest sessions list --all --format csv | { ${pager.join("; ")}; }`);
  await terminal.shows("Page 2 of 3: 200 of 300");
  await expect.poll(() => existsSync(join(terminal.home, "rest.csv"))).toBe(true);
  go();
  expect((await terminal.ended()).lines).toEqual(["-echo"]);
});

test("`playtest` without arguments prints an introduction without a key, and the help with a key", async () => {
  const terminal = await Terminal.open(80);
  const start = await terminal.run("playtest");
  expect(start.code).toBe(0);
  expect(start.text).toContain("playtest login ");
  expect(start.text).toContain("playtest server start --demo");
  expect(start.lines.length).toBeLessThanOrEqual(10);

  for (const line of ["playtest --help", "PLAYTEST_KEY=k playtest", "playtest | cat"]) {
    const { code, text } = await terminal.run(line);
    expect([code, text.includes("Help topics ")], line).toEqual([0, true]);
  }
});
