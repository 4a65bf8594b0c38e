/** A heatmap as one page of HTML: the picture, and in tables what it shows. No script, and nothing is fetched. */
import { densestCells, type RankedCell } from "../../pictures/densest.ts";
import type { Picture } from "../../pictures/picture.ts";
import { formatPoints } from "../heatmap/legend.ts";
import { reading, totals } from "../heatmap/picture.ts";
import { summary } from "../heatmap/room.ts";
import { formatNumber, formatTenths } from "../numbers.ts";
import { all, type Child, el, type Markup, page } from "../svg/element.ts";
import { type HeatmapSvgOptions, heatmapSvg, titleOf } from "../svg/heatmap.ts";
import { cleanLine } from "../text.ts";
import { numberLabel } from "../ticks.ts";
import { pageHead } from "./head.ts";

/** Cells that the table tells of each room. */
const CELLS = 10;
const PEOPLE = { tty: true } as const;
/** The picture is as wide as the page lets it be; on paper with its colours. */
const pictureStyle =
  "main,header,footer{max-width:68rem}figure{overflow-x:auto}figure svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}";

/** The whole page. */
export function heatmapPage(picture: Picture, options: HeatmapSvgOptions = {}): string {
  const title = titleOf(picture);
  return page(
    { lang: "en" },
    pageHead(title, pictureStyle),
    el(
      "body",
      {},
      el("header", {}, el("h1", {}, title), el("p", {}, totals(picture, PEOPLE))),
      el("main", {}, el("figure", {}, heatmapSvg(picture, options)), inWords(picture)),
    ),
  );
}

/** What the picture shows, for readers who do not see it. */
function inWords(picture: Picture): Markup {
  const rooms = picture.rooms.map((room) => {
    const cells = densestCells({ ...picture, rooms: [room] }, CELLS);
    return all(
      el("h3", {}, cleanLine(room.room) || "(no name)"),
      el("p", {}, summary(room, picture, PEOPLE)),
      cells.length > 0 && table(cells, picture, room.room),
    );
  });
  const title = picture.kind === "density" ? "The densest cells" : "The cells that changed most";
  return el(
    "section",
    { "aria-labelledby": "cells" },
    el("h2", { id: "cells" }, title),
    el("p", { class: "note" }, reading(picture)),
    rooms,
  );
}

function table(cells: readonly RankedCell[], { kind }: Picture, room: string): Markup {
  const measures = kind === "density" ? ["Positions", "Of all positions"] : ["Percentage points"];
  const head = (text: string, right: boolean) => el("th", { scope: "col", class: right && "right" }, text);
  const right = (text: string) => el("td", { class: "right" }, text);
  const rows = cells.map((cell) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, range(cell.xMin, cell.xMax)),
      el("td", {}, range(cell.yMin, cell.yMax)),
      measuresOf(cell).map(right),
    ),
  );
  return el(
    "table",
    {},
    el("caption", {}, `Cells of ${cleanLine(room) || "(no name)"}`),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        head("x", false),
        head("y", false),
        measures.map((name) => head(name, true)),
      ),
    ),
    el("tbody", {}, rows),
  );
}

function measuresOf({ positions, share, change }: RankedCell): string[] {
  if (change !== null) return [formatPoints(change, Math.abs(change))];
  return [formatNumber(positions ?? 0, PEOPLE), formatTenths(share ?? 0)];
}

/** Both ends with the digits that tell them apart. */
function range(min: number, max: number): Child {
  const step = max / 10 - min / 10;
  return `${numberLabel(min, step)} to ${numberLabel(max, step)}`;
}
