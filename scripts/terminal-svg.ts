/** Draws terminal output as SVG and PNG. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { initWasm, Resvg } from "@resvg/resvg-wasm";

const CELL = { width: 10, height: 20 } as const;
export type Theme = "dark" | "light";
const THEMES = {
  dark: { back: "#000000", front: "#d0d0d0" },
  light: { back: "#ffffff", front: "#202020" },
} as const;
/** The 16 colors of xterm. */
const SIXTEEN = [
  ...["#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5"],
  ...["#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff"],
];

interface Pen {
  front: string | null;
  back: string | null;
  dim: boolean;
  bold: boolean;
}

export interface Drawing {
  readonly svg: string;
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
}

/** Draws text with the colors of its escapes (SGR only) as SVG. */
export function drawTerminal(text: string, theme: Theme): Drawing {
  const lines = text.replace(/\n$/, "").split("\n");
  const pen: Pen = { front: null, back: null, dim: false, bold: false };
  let columns = 1;
  let shapes = "";
  for (const [row, line] of lines.entries()) {
    let column = 0;
    for (const [token, codes, character] of line.matchAll(/\x1b\[([\d;:]*)m|([^\x1b])/gu)) {
      if (character === undefined) {
        if (token) obey(pen, codes ?? "");
        continue;
      }
      shapes += drawn(character, column, row, pen, THEMES[theme]);
      column += /[\u1100-\u115f\u2e80-\uffdc]/.test(character) ? 2 : 1;
    }
    columns = Math.max(columns, column);
  }
  const [width, height] = [columns * CELL.width, lines.length * CELL.height];
  const ground = `<rect width="${width}" height="${height}" fill="${THEMES[theme].back}"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${ground}${shapes}</svg>`;
  return { svg, width, height };
}

/** Draws half blocks as what they are, for a font leaves gaps between them. */
function drawn(
  character: string,
  column: number,
  row: number,
  pen: Pen,
  theme: (typeof THEMES)[Theme],
): string {
  const [x, y] = [column * CELL.width, row * CELL.height];
  const front = pen.front ?? theme.front;
  const box = (top: number, height: number, fill: string, left = 0, width: number = CELL.width) =>
    `<rect x="${x + left}" y="${y + top}" width="${width}" height="${height}" fill="${fill}" shape-rendering="crispEdges"/>`;
  const half = CELL.height / 2;
  const ground = pen.back === null ? "" : box(0, CELL.height, pen.back);
  if (character === " ") return ground;
  if (character === "▀") return ground + box(0, half, front);
  if (character === "▄") return ground + box(half, half, front);
  if (character === "▌") return ground + box(0, CELL.height, front, 0, CELL.width / 2);
  if (character === "▐") return ground + box(0, CELL.height, front, CELL.width / 2, CELL.width / 2);
  if (character === "█") return ground + box(0, CELL.height, front);
  const escaped = character.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const look = `${pen.dim ? ' opacity="0.6"' : ""}${pen.bold ? ' font-weight="bold"' : ""}`;
  return `${ground}<text x="${x}" y="${y + 15}" font-family="DejaVu Sans Mono" font-size="16" fill="${front}"${look}>${escaped}</text>`;
}

function obey(pen: Pen, codes: string): void {
  const numbers = codes.split(/[;:]/).map(Number);
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0;
    if (code === 38 || code === 48) {
      const colour = numbers[at + 1] === 2 ? rgb(numbers.slice(at + 2, at + 5)) : of256(numbers[at + 2] ?? 0);
      pen[code === 38 ? "front" : "back"] = colour;
      at += numbers[at + 1] === 2 ? 4 : 2;
    } else Object.assign(pen, SIMPLE[code] ?? named(code));
  }
}

const SIMPLE: Readonly<Record<number, Partial<Pen>>> = {
  0: { front: null, back: null, dim: false, bold: false },
  1: { bold: true },
  2: { dim: true },
  22: { dim: false, bold: false },
  39: { front: null },
  49: { back: null },
};

/** 30 to 37 and 90 to 97 before the text, 40 to 47 and 100 to 107 behind it. */
function named(code: number): Partial<Pen> {
  const bright = code >= 90 ? 8 : 0;
  const of16 = SIXTEEN[bright + (code % 10)] ?? null;
  return Math.floor(code / 10) % 2 === 1 ? { front: of16 } : { back: of16 };
}

const rgb = (channels: readonly number[]) => `rgb(${channels.join(",")})`;

/** xterm's cube of 6 by 6 by 6 from 16 and its greys from 232. */
function of256(number: number): string {
  if (number < 16) return SIXTEEN[number] ?? "#000000";
  if (number >= 232) return rgb(new Array<number>(3).fill(8 + 10 * (number - 232)));
  const level = (at: number) => (at === 0 ? 0 : 55 + 40 * at);
  const place = number - 16;
  return rgb([level(Math.floor(place / 36)), level(Math.floor(place / 6) % 6), level(place % 6)]);
}

/** Renders SVG with texts in DejaVu Sans Mono as PNG. */
export async function renderPng(svg: string): Promise<Buffer> {
  const require = createRequire(import.meta.url);
  await initWasm(readFileSync(require.resolve("@resvg/resvg-wasm/index_bg.wasm")));
  const fonts = ["DejaVuSansMono", "DejaVuSansMono-Bold"].map((name) =>
    readFileSync(require.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)),
  );
  const font = { fontBuffers: fonts, defaultFontFamily: "DejaVu Sans Mono", loadSystemFonts: false };
  return Buffer.from(new Resvg(svg, { font }).render().asPng());
}
