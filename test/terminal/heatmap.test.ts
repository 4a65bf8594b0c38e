/** A heatmap in a real terminal: width and color depth. */
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { listening } from "../cli/program.ts";
import { Terminal } from "./terminal.ts";

const game = { id: "game_1", userId: "u", name: "Starfall", slug: "starfall", createdAt: 0 };

/** A room of 32 by 18 cells with a diagonal of 1 to 18 positions. */
function room(name: string) {
  const counts = Array.from({ length: 18 }, (_, at) => at + 1);
  const cells = counts.map((count, at) => ({ x: at, y: at, intensity: Math.log1p(count) / Math.log1p(18) }));
  const bounds = { xMin: 0, xMax: 64, yMin: 0, yMax: 36 };
  return { room: name, cellsX: 32, cellsY: 18, cells, totalEvents: 171, bounds };
}

const rooms = ["Cave", "\x1b]0;owned\x07東の庭", "Hall"].map(room);

/** What the shell's environment needs for a service that knows these rooms. */
async function serve(): Promise<Record<string, string>> {
  const port = await listening((_, response) => {
    response.end(JSON.stringify({ game, rooms, eventCount: 513 }));
  });
  return { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`, PLAYTEST_KEY: "k", PLAYTEST_GAME: "starfall" };
}

test("fits the terminal, with rooms side by side if it is wide enough", async () => {
  const terminal = await Terminal.open(200, await serve());
  const across: number[] = [];
  for (const columns of [200, 120, 80, 40]) {
    await terminal.resize(columns);
    const { code, lines, text } = await terminal.run("playtest heatmap --all --palette magma");
    expect([code, Math.max(...lines.map((line) => stringWidth(line))) <= columns], text).toEqual([0, true]);
    expect(text).toContain("\\x1b]0;owned\\x07東の庭");
    across.push(Math.max(...lines.map((line) => line.split("└").length - 1)));
  }
  expect(across).toEqual([3, 2, 1, 1]);
});

test("uses the color depth of the terminal", async () => {
  const terminal = await Terminal.open(80, await serve());
  const drawn = async (line: string) => (await terminal.run(line, { escapes: true })).text;
  expect(await drawn("COLORTERM=truecolor playtest heatmap --room Cave")).toContain("48;2;16;16;16");
  expect(await drawn("TERM=xterm-256color playtest heatmap --room Cave")).toContain("48;5;233");
  expect(await drawn("TERM=xterm-16color playtest heatmap --room Cave")).toMatch(/\x1b\[[\d;]*40m/);
  const bare = await drawn("NO_COLOR=1 playtest heatmap --room Cave");
  expect(bare).toMatch(/│ *@@/);
  expect(bare).not.toMatch(/[█▀▄]/);
});
