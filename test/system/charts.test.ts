/** Heatmap files in a browser: light and dark mode, accessibility by axe-core, and comparison with golden images. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PNG } from "pngjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildDensityView } from "../../src/charts/heatmap.ts";
import { heatmapPage } from "../../src/render/html/heatmap.ts";
import { startDemo } from "../cli/demo.ts";
import { runCli, type TestService } from "../harness.ts";
import { openBrowser, type Window } from "./browser.ts";
import { difference, offGolden } from "./golden.ts";

/** Allowed shares of different pixels. Our PNGs are the same everywhere, but fonts differ slightly in browsers. */
const SAME = 0.001;
const ALIKE = 0.03;

let service: TestService;
let browser: Window;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "playtest-charts-"));
  writeFileSync(join(folder, "level.png"), level());
  [service, browser] = await Promise.all([startDemo(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await service.stop();
});

/** A level image of gray tiles with a grid. */
function level(): Buffer {
  const png = new PNG({ width: 120, height: 100 });
  for (let y = 0; y < 100; y += 1) {
    for (let x = 0; x < 120; x += 1) {
      const shade = x % 10 === 0 || y % 10 === 0 ? 90 : 170 + ((Math.floor(x / 10) * 7) % 40);
      png.data.set([shade, shade, shade, 255], (y * 120 + x) * 4);
    }
  }
  return PNG.sync.write(png);
}

/** Runs `heatmap --out` and returns the file. */
async function file(line: string, name: string): Promise<{ name: string; text: string; bytes: Buffer }> {
  const argv = ["heatmap", "--game", "ember", ...line.split(" "), "--out", name];
  const { code, err } = await runCli(argv, { service, cwd: folder, home: folder });
  expect([code, err]).toEqual([0, ""]);
  const bytes = readFileSync(join(folder, name));
  return { name, text: bytes.toString(), bytes };
}

const charts = {
  rooms: "--build 0.9.0",
  difference: "--build 0.9.0 --diff 0.8.0 --room gardens",
  map: "--room ash-bridge --map level.png --map-bounds 0,-30,160,30",
} as const;

describe.each(Object.entries(charts))("%s", (name, line) => {
  test("matches its golden image", async () => {
    const { bytes } = await file(`${line} --scale 1`, `${name}.png`);
    expect(offGolden(name, bytes)).toBeLessThan(SAME);
  });

  test("looks the same in a browser as in the PNG", async () => {
    const { bytes } = await file(`${line} --scale 1`, `${name}.png`);
    const svg = await file(line, `${name}.svg`);
    const { width, height } = PNG.sync.read(bytes);
    const shot = await browser.shot(svg, { width, height });
    const { share, diffImage } = difference(bytes, shot);
    if (diffImage) writeFileSync(join(tmpdir(), `agreement-${name}.png`), diffImage);
    expect(share).toBeLessThan(ALIKE);
  });

  test("is an accessible page without requests or console messages", async () => {
    const page = await file(line, `${name}.html`);
    for (const theme of ["light", "dark"] as const) {
      expect(await browser.violations(page, { theme })).toEqual([]);
    }
    await browser.look(page, {}, async ({ requests, complaints }) => {
      expect([requests, complaints]).toEqual([[], []]);
    });
  });
});

test("a page supports light mode, dark mode and print, and fits a narrow window", async () => {
  const page = await file("--room furnace", "page.html");
  const paper = async (look: Parameters<Window["look"]>[1]) =>
    await browser.look(
      page,
      look,
      async ({ page }) =>
        await page.evaluate(
          "[getComputedStyle(document.body).backgroundColor, document.documentElement.scrollWidth, innerWidth]",
        ),
    );
  expect(await paper({ theme: "light" })).toEqual(["rgb(255, 255, 255)", 1100, 1100]);
  expect(await paper({ theme: "dark" })).toEqual(["rgb(15, 19, 24)", 1100, 1100]);
  expect(await paper({ theme: "dark", media: "print" })).toEqual(["rgb(255, 255, 255)", 1100, 1100]);
  expect(await paper({ width: 360 })).toEqual(["rgb(255, 255, 255)", 360, 360]);
});

test("hostile names cannot run scripts or load resources", async () => {
  const name = `</text></svg><script>alert(1)</script><img src=x onerror=alert(2)><a href="javascript:alert(3)">`;
  const { json } = await service.get("/api/v1/heatmaps/ember");
  const rooms = json.rooms.slice(0, 2).map((room: object) => ({ ...room, room: name }));
  const view = buildDensityView({ ...json, game: { ...json.game, name }, rooms }, name);
  await browser.look({ name: "hostile.html", text: heatmapPage(view) }, {}, async (seen) => {
    expect([seen.requests, seen.complaints]).toEqual([[], []]);
    expect(await seen.page.evaluate("document.querySelectorAll('script,img,a,iframe').length")).toBe(0);
    expect(await seen.page.evaluate("document.body.innerText")).toContain("<script>alert(1)</script>");
  });
});

test("the test browser detects requests, console messages and violations", async () => {
  const page = `<html><title>x</title><body><img src="http://127.0.0.1:9/x.png"><script>console.log("ran")</script>`;
  await browser.look({ name: "bad.html", text: page }, {}, async ({ requests, complaints }) => {
    expect(requests).toEqual(["http://127.0.0.1:9/x.png"]);
    expect(complaints).toContain("ran");
  });
  const found = await browser.violations({ name: "bad.html", text: page });
  expect(found.map(({ rule }) => rule)).toEqual(expect.arrayContaining(["html-has-lang", "image-alt"]));
});
