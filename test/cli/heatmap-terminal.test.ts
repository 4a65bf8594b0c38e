/** `playtest heatmap` in a terminal: colors and the list of cells. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cellsResult } from "../../src/cli/commands/heatmap/cells.ts";
import type { Heatmap } from "../../src/contract/heatmaps.ts";
import type { TableColumn } from "../../src/render/columns.ts";
import { type CliOptions, runCli, type TestService } from "../harness.ts";
import { changed, differences } from "../render/heatmap/sample-views.ts";
import { startDemo } from "./demo.ts";

let service: TestService;
beforeAll(async () => {
  service = await startDemo();
});
afterAll(() => service.stop());

const run = (line: string, options: CliOptions = {}) =>
  runCli(["heatmap", "--game", "ember", ...line.split(" ").filter(Boolean)], { service, ...options });

describe("the drawing", () => {
  test("uses the selected palette, and viridis by default", async () => {
    const colors = async (line: string) => {
      const { out } = await run(line, { tty: true, colors: 3 });
      return ["253;231;37", "254;232;56", "252;253;191"].map(
        (rgb) => out.includes(`;2;${rgb}m`) || out.includes(`;2;${rgb};`),
      );
    };
    expect(await colors("--room furnace")).toEqual([true, false, false]);
    expect(await colors("--room furnace --palette cividis")).toEqual([false, true, false]);
    expect(await colors("--room furnace --palette magma")).toEqual([false, false, true]);
    const refused = await run("--palette jet");
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("viridis, cividis or magma")]);
  });

  test("shows the filters, and rooms side by side in a wide terminal", async () => {
    const { out } = await run("--build 0.9.0 --env production --all", { tty: true, columns: 160 });
    expect(out).toMatch(/^Ember Hollow, build 0\.9\.0, environment production: /);
    expect(out).toMatch(/^furnace +gardens +\S+/m);
    const narrow = await run("--build 0.9.0 --all", { tty: true, columns: 80 });
    expect(narrow.out).not.toMatch(/^furnace +gardens/m);
  });
});

describe("without --room", () => {
  const names = (out: string) =>
    out.match(/^(furnace|gardens|lantern-stairs|ash-bridge|observatory|dock)(?=$| {2}\d)/gm);

  test("draws the busiest room, and names the others with their positions and a command", async () => {
    const { out } = await run("--build 0.9.0", { tty: true, columns: 80 });
    expect(names(out)).toEqual(["furnace"]);
    expect(out).toMatch(/18,718 positions in 6 rooms\n/);
    expect(out).toMatch(
      /^Other rooms \(--all\): gardens 3,762, lantern-stairs 2,978, [\s\S]*dock 1,082\nOne of them: playtest heatmap --build 0\.9\.0 --room gardens --game\s+ember\n$/m,
    );
    const compared = await run("--build 0.9.0 --diff 0.8.0 --env all", { tty: true, columns: 200 });
    expect(compared.out).toMatch(/--build 0\.9\.0 --diff 0\.8\.0 --env all --room \S+ --game ember\n$/);
  });

  test("draws all rooms with --all", async () => {
    const { out } = await run("--build 0.9.0 --all", { tty: true, columns: 80 });
    expect(names(out)).toHaveLength(6);
    expect(out).not.toContain("Other rooms");
    expect((await run("--build 0.9.0 --all --json")).out).toBe((await run("--build 0.9.0 --json")).out);
  });
});

describe("--cells", () => {
  test("lists the densest cells with the bounds and positions of the service", async () => {
    const { out } = await run("--cells --top 3 --json");
    const { cells, eventCount } = JSON.parse(out);
    const heatmap: Heatmap = JSON.parse((await run("--json")).out);
    expect(cells).toHaveLength(3);
    expect(eventCount).toBe(heatmap.eventCount);
    for (const cell of cells) {
      const room = heatmap.rooms.find(({ room }) => room === cell.room);
      const width = ((room?.bounds.xMax ?? 0) - (room?.bounds.xMin ?? 0)) / (room?.cellsX ?? 1);
      expect(cell.xMax - cell.xMin).toBeCloseTo(width, 9);
      const x = Math.round((cell.xMin - (room?.bounds.xMin ?? 0)) / width);
      const { yMin = 0, yMax = 0 } = room?.bounds ?? {};
      const y = Math.round((cell.yMin - yMin) / ((yMax - yMin) / (room?.cellsY ?? 1)));
      // The densest cells of all rooms must have high intensities in their own rooms.
      const match = room?.cells.find((candidate) => candidate.x === x && candidate.y === y);
      expect(match?.intensity).toBeGreaterThan(0.8);
      expect(cell.share).toBe(cell.positions / eventCount);
    }
    const positions = cells.map((cell: { positions: number }) => cell.positions);
    expect(positions).toEqual([...positions].sort((a, b) => b - a));
  });

  test("shows changes in percentage points with their sign", () => {
    const { table, data } = cellsResult(differences([changed]), 2);
    expect((data as { cells: unknown[] }).cells).toEqual([
      { room: "Cave", xMin: 0, xMax: 100, yMin: -200, yMax: -100, change: -0.04 },
      { room: "Cave", xMin: 700, xMax: 800, yMin: 100, yMax: 200, change: 0.04 },
    ]);
    const columns = (table?.columns ?? []) as readonly TableColumn<unknown>[];
    const points = columns.at(-1);
    const options = { tty: true, width: 80, color: 0, plain: false, wide: false, now: 0, tz: "UTC" } as const;
    expect(table?.rows.map((row) => points?.format?.(points.value(row) ?? "", options, row))).toEqual([
      "-4.0",
      "+4.0",
    ]);
  });

  test("is required for --top", async () => {
    const { code, err } = await run("--top 3");
    expect([code, err]).toEqual([2, expect.stringContaining("--top requires --cells")]);
  });

  test("adds up to all positions", async () => {
    const { out } = await run("--cells --top 100000 --json");
    const { cells, eventCount } = JSON.parse(out);
    const sum = cells.reduce((total: number, { positions }: { positions: number }) => total + positions, 0);
    expect(sum).toBe(eventCount);
  });

  test("is a table for a screen reader, and rows in every format", async () => {
    const plain = await run("--cells --top 2 --plain", { tty: true, columns: 100 });
    expect(plain.out).toMatch(/^ROOM +X FROM +X TO +Y FROM +Y TO +POSITIONS +SHARE OF ALL ROOMS\n/);
    expect(plain.out).toMatch(/ \d+\.\d%\n/);
    const csv = await run("--cells --top 2 --format csv");
    expect(csv.out.split("\n")[0]).toBe('"room","xMin","xMax","yMin","yMax","positions","share"');
    const ndjson = await run("--cells --top 2 --format ndjson");
    expect(
      ndjson.out
        .trim()
        .split("\n")
        .map((line) => Object.keys(JSON.parse(line))),
    ).toEqual(
      Array.from({ length: 2 }, () => ["room", "xMin", "xMax", "yMin", "yMax", "positions", "share"]),
    );
  });
});
