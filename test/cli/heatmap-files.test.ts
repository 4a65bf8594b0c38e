/** `playtest heatmap --out`: formats by extension, level images, differences, and rejected flags. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PNG } from "pngjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CliOptions, freshFolder, runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

let service: TestService;
beforeAll(async () => {
  service = await startDemo();
});
afterAll(() => service.stop());

const run = (line: string, options: CliOptions = {}) =>
  runCli(["heatmap", "--game", "ember", ...line.split(" ").filter(Boolean)], { service, ...options });

/** Runs the command in a new folder and returns the written file. */
async function written(line: string, name: string) {
  const cwd = freshFolder();
  const { code, out, err } = await run(`${line} --out ${name}`, { cwd, home: freshFolder() });
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^Wrote .+ \(\d+ rooms?, [\d,]+ kB\)\.\n$/);
  expect(readdirSync(cwd)).toEqual([name]);
  return readFileSync(join(cwd, name));
}

/** A checkerboard of red and blue. */
function levelPng(width = 40, height = 30): Buffer {
  const png = new PNG({ width, height });
  for (let at = 0; at < width * height; at += 1) {
    const red = ((at % width) + Math.floor(at / width)) % 2 === 0;
    png.data.set(red ? [255, 0, 0, 255] : [0, 0, 255, 255], at * 4);
  }
  return PNG.sync.write(png);
}

describe("--out", () => {
  test("writes JSON equal to the API response, and CSV with every position", async () => {
    const answer = await service.get("/api/v1/heatmaps/ember?build=0.9.0&env=production");
    expect(JSON.parse((await written("--build 0.9.0", "h.json")).toString())).toEqual(answer.json);
    const [header, ...rows] = (await written("--build 0.9.0", "h.csv")).toString().trim().split("\n");
    expect(header).toBe('"room","x","y","xMin","xMax","yMin","yMax","positions","intensity"');
    const sums = new Map<string, number>();
    for (const row of rows) {
      const [room = "", , , , , , , positions] = row.split(",");
      sums.set(JSON.parse(room), (sums.get(JSON.parse(room)) ?? 0) + Number(positions));
    }
    const totals = answer.json.rooms.map((room: { room: string; totalEvents: number }) => [
      room.room,
      room.totalEvents,
    ]);
    expect([...sums]).toEqual(totals);
  });

  test("writes SVG, HTML and PNG reproducibly", async () => {
    const svg = (await written("--room furnace", "h.svg")).toString();
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 808 \d+"/);
    expect((await written("--room furnace", "h.svg")).toString()).toBe(svg);
    const cells = (text: string) => text.match(/<path fill="#[^>]+>/g);
    const html = (await written("--room furnace", "h.html")).toString();
    expect(cells(svg)?.length).toBeGreaterThan(10);
    expect(cells(html)).toEqual(cells(svg));
    const png = await written("--room furnace --scale 1", "h.png");
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
    expect(PNG.sync.read(png)).toMatchObject({ width: Number(width), height: Number(height) });
    expect((await written("--room furnace --scale 1", "h.png")).equals(png)).toBe(true);
    expect(PNG.sync.read(await written("--room furnace", "h.PNG")).width).toBe(Number(width) * 2);
  });

  test("reports the written file as JSON", async () => {
    const cwd = freshFolder();
    const { out } = await run("--room furnace --out h.svg --json", { cwd });
    const bytes = readFileSync(join(cwd, "h.svg")).length;
    expect(JSON.parse(out)).toMatchObject({ file: join(cwd, "h.svg"), format: "svg", bytes, rooms: 1 });
  });

  test("creates the folders of the file", async () => {
    const cwd = freshFolder();
    const { code } = await run("--out new/folder/h.svg", { cwd, home: freshFolder() });
    expect(code).toBe(0);
    expect(readFileSync(join(cwd, "new", "folder", "h.svg"), "utf8")).toMatch(/^<svg/);
  });

  test("keeps the existing file if the command fails", async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "h.svg"), "before");
    const { code } = await run("--room nowhere --out h.svg", { cwd, home: freshFolder() });
    expect(code).toBe(44);
    expect(readdirSync(cwd)).toEqual(["h.svg"]);
    expect(readFileSync(join(cwd, "h.svg"), "utf8")).toBe("before");
  });

  test.each([
    ["--out h.gif", 2, '--out "h.gif" does not end in .svg, .png, .html, .json, .csv'],
    ["--out heatmap", 2, '--out "heatmap" does not end in'],
    ["--out folder.svg", 3, '--out "folder.svg" is a folder'],
    ["--out h.svg/", 3, '--out "h.svg/" is a folder'],
    ["--out h.svg --scale 2", 2, "--scale 2 is only supported for PNG files"],
    ["--scale 2", 2, "--scale 2 is only supported for PNG files"],
    ["--out h.svg --cells", 2, "--out cannot be used with --cells"],
    ["--out h.png --scale 5", 2, '--scale "5" is not a whole number from 1 to 4'],
  ])("rejects %s before any request", async (line, exit, message) => {
    const cwd = freshFolder();
    mkdirSync(join(cwd, "folder.svg"));
    const transport = () => Promise.reject(new Error("unexpected request"));
    const { code, err } = await run(line, { cwd, transport });
    expect([code, err]).toEqual([exit, expect.stringContaining(message)]);
  });
});

test.each(["--build 9.9.9", "--build 0.9.0 --diff 9.9.9", "--build 9.9.9 --diff 0.9.0"])(
  "%s fails for a build that does not exist",
  async (line) => {
    const cwd = freshFolder();
    const { code, err } = await run(`${line} --out h.svg`, { cwd });
    expect(code).toBe(44);
    expect(err).toContain("No build 9.9.9 in ember");
    expect(readdirSync(cwd)).toEqual([]);
  },
);

test("reports the file that cannot be written, and the reason", async () => {
  const { code, err } = await run(`--out ${"h".repeat(252)}.svg`);
  expect([code, err]).toEqual([
    3,
    expect.stringMatching(/Cannot write the heatmap .*h\.svg: its name is too long/),
  ]);
});

describe("--map", () => {
  const bounds = "--map-bounds -60,-40,60,60";

  async function withMap(name: string, content: Uint8Array, line: string) {
    const cwd = freshFolder();
    writeFileSync(join(cwd, name), content);
    return { cwd, ...(await run(line, { cwd, home: freshFolder() })) };
  }

  test("draws the level image behind the cells in SVG and PNG", async () => {
    const level = levelPng();
    const at = await withMap("level.png", level, `--room furnace --out h.svg --map level.png ${bounds}`);
    expect([at.code, at.err]).toEqual([0, ""]);
    const svg = readFileSync(join(at.cwd, "h.svg"), "utf8");
    expect(svg).toContain(`href="data:image/png;base64,${level.toString("base64")}"`);
    expect(svg).toContain('fill-opacity="0.9"');
    const one = await withMap(
      "level.png",
      level,
      `--room furnace --out h.png --scale 1 --map level.png ${bounds}`,
    );
    const png = PNG.sync.read(readFileSync(join(one.cwd, "h.png")));
    const colors = new Set<string>();
    for (let pixel = 0; pixel < png.data.length; pixel += 4) {
      colors.add(png.data.subarray(pixel, pixel + 3).join());
    }
    expect([...colors]).toEqual(expect.arrayContaining(["255,0,0", "0,0,255"]));
  });

  test("rejects files that are not images, are too large or cannot be drawn", async () => {
    const huge = levelPng();
    huge.writeUInt32BE(100_000, 16);
    huge.writeUInt32BE(9000, 20);
    const webp = Buffer.from("RIFF\x00\x00\x00\x00WEBPVP8 ", "latin1");
    const cases: [Uint8Array, string, string][] = [
      [Buffer.from("<svg/>"), "h.svg", "not a PNG, JPEG or WebP image"],
      [Buffer.alloc(16_000_001), "h.svg", "the file is too large (17 MB)"],
      [huge, "h.svg", "the image is too large (100000 by 9000 pixels)"],
      [webp, "h.png", "a WebP image cannot be drawn into a PNG file"],
    ];
    for (const [content, out, message] of cases) {
      const { code, err } = await withMap(
        "level",
        content,
        `--room furnace --out ${out} --map level ${bounds}`,
      );
      expect([code, err]).toEqual([3, expect.stringContaining(message)]);
    }
    const { code } = await withMap("level", webp, `--room furnace --out h.svg --map level ${bounds}`);
    expect(code).toBe(0);
  });

  test.each([
    ["--room furnace --out h.svg --map none.png --map-bounds 0,0,1,1", 3, "file not found"],
    ["--room furnace --out h.svg --map . --map-bounds 0,0,1,1", 3, "it is a folder"],
    ["--room furnace --out h.svg --map level.png", 2, "--map and --map-bounds must be used together"],
    ["--room furnace --out h.svg --map level.png --map-bounds 0,0,1", 2, '--map-bounds "0,0,1" is not'],
    [
      "--room furnace --out h.svg --map level.png --map-bounds 0,0,0,1",
      2,
      "with xMin < xMax and yMin < yMax",
    ],
    ["--room furnace --out h.svg --map level.png --map-bounds 0,0,1,x", 2, '"0,0,1,x"'],
    ["--room furnace --map level.png --map-bounds 0,0,1,1", 2, "--map requires an image file as output"],
    [
      "--room furnace --out h.csv --map level.png --map-bounds 0,0,1,1",
      2,
      "--map requires an image file as output",
    ],
    ["--out h.svg --map level.png --map-bounds 0,0,1,1", 2, "--map requires one room, but there are"],
  ])("rejects %s", async (line, exit, message) => {
    const { code, err } = await withMap("level.png", levelPng(), line);
    expect([code, err]).toEqual([exit, expect.stringContaining(message)]);
  });
});

describe("--diff", () => {
  test("writes the difference as SVG, JSON and CSV", async () => {
    const svg = (await written("--build 0.9.0 --diff 0.8.0", "d.svg")).toString();
    expect(svg).toContain("0.8.0 to 0.9.0");
    expect(svg).toContain("no positions were recorded in 0.8.0");
    const { out } = await run("--build 0.9.0 --diff 0.8.0 --room gardens --json");
    const { a, b, rooms } = JSON.parse(out);
    expect([a, b, rooms.length]).toEqual(["0.8.0", "0.9.0", 1]);
    expect(rooms[0]).toMatchObject({ room: "gardens", missing: null, exact: true, resampled: true });
    const changes = rooms[0].cells.map(({ change }: { change: number }) => change);
    expect(changes.reduce((sum: number, change: number) => sum + change, 0)).toBeCloseTo(0, 9);
    expect(Math.max(...changes.map(Math.abs))).toBe(rooms[0].most);
    expect(
      JSON.parse((await written("--build 0.9.0 --diff 0.8.0 --room gardens", "d.json")).toString()),
    ).toEqual(JSON.parse(out));
    const csv = (await written("--build 0.9.0 --diff 0.8.0 --room gardens", "d.csv")).toString();
    expect(csv.split("\n")).toHaveLength(changes.length + 2);
    expect(csv).toMatch(/^"room","x","y","xMin","xMax","yMin","yMax","change","scaled"\n/);
  });

  test("draws the difference in the terminal, and lists the largest changes", async () => {
    const { out } = await run("--build 0.9.0 --diff 0.8.0", { tty: true, colors: 3 });
    expect(out).toContain("positions in 0.8.0, ");
    const { cells } = JSON.parse((await run("--build 0.9.0 --diff 0.8.0 --cells --json")).out);
    expect(cells[0].change).not.toBe(0);
  });

  test.each([
    ["--diff 0.8.0", '--diff "0.8.0" requires --build'],
    ["--diff 0.8.0 --build 0.8.0", "--diff and --build are both"],
  ])("rejects %s", async (line, message) => {
    const { code, err } = await run(line);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test("shows rooms in only one build, and fails for rooms in neither", async () => {
    const { out } = await run("--build 0.9.0 --diff 0.8.0 --room furnace --json");
    expect(JSON.parse(out).rooms[0]).toMatchObject({ missing: "a", positionsA: 0 });
    expect((await run("--build 0.9.0 --diff 0.8.0 --room nowhere")).code).toBe(44);
  });
});
