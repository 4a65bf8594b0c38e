/**
 * `npm run screenshots`: draws the picture of the README, the comparison of two builds of the demo beside the heatmap of its new
 * room, from what the built program prints.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { toPalettePng } from "./palette-png.ts";
import { drawTerminal, renderPng } from "./terminal-svg.ts";

const ROOT = join(import.meta.dirname, "..");
const OUT = join(ROOT, "docs", "images", "overview.png");
/** Space around the parts, pixels. */
const GAP = 24;

const COMMANDS = `
"$0" "$1" builds compare previous latest --game ember --color always > compare.txt
FORCE_COLOR=3 "$0" "$1" heatmap --game ember --build 0.9.0 --room furnace --marks deaths > heatmap.txt`;

const folder = await mkdtemp(join(tmpdir(), "playtest-picture-"));
try {
  const program = join(ROOT, "bin", "playtest.js");
  const service = ["server", "exec", "--demo", "--limits", "off", "--"];
  const command = ["sh", "-ec", COMMANDS, process.execPath, program];
  const env = { HOME: folder, PATH: process.env.PATH ?? "", TZ: "UTC", LANG: "C.UTF-8" };
  await execa(process.execPath, [program, ...service, ...command], { cwd: folder, env, extendEnv: false });
  const readParagraphs = async (name: string) => (await readFile(join(folder, name), "utf8")).split("\n\n");
  const comparison = (await readParagraphs("compare.txt")).slice(0, 2).join("\n\n");
  const [, map = ""] = await readParagraphs("heatmap.txt");
  await writeFile(OUT, toPalettePng(await renderPng(drawSideBySide([comparison, map]))));
} finally {
  await rm(folder, { recursive: true });
}

/** Draws outputs side by side, each with its own width. */
function drawSideBySide(outputs: readonly string[]): string {
  const parts = outputs.map((text) => drawTerminal(text.trimEnd(), "light"));
  const height = Math.max(...parts.map((part) => part.height)) + 2 * GAP;
  let x = GAP;
  const placed = parts.map(({ svg, width }) => {
    const part = `<svg x="${x}" y="${GAP}"${svg.slice("<svg".length)}`;
    x += width + GAP;
    return part;
  });
  const ground = `<rect width="${x}" height="${height}" fill="#ffffff"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${x}" height="${height}">${ground}${placed.join("")}</svg>`;
}
