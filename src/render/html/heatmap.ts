/** A heatmap as a single HTML page without scripts or external resources: the drawing, and tables with the same data. */
import { densestCells, type RankedCell } from "../../charts/densest.ts";
import { type HeatmapView, selectPicture } from "../../charts/heatmap-view.ts";
import { describeNotes, describeScale, describeSubtitle, isAnyRoomDrawn } from "../heatmap/heatmap.ts";
import { formatPoints } from "../heatmap/legend.ts";
import { describeRoom } from "../heatmap/room.ts";
import { formatNumber, formatTenths } from "../numbers.ts";
import { type Child, el, fragment, htmlPage, type Markup } from "../svg/element.ts";
import { formatHeatmapTitle, type HeatmapSvgOptions, heatmapSvg } from "../svg/heatmap.ts";
import { cleanLine } from "../text.ts";
import { numberLabel } from "../ticks.ts";
import { pageHead } from "./head.ts";

const MAX_CELLS_LISTED = 10;
const PEOPLE = { tty: true } as const;
/** The drawing is as wide as the page and keeps its colors in print. */
const heatmapStyle =
  "main,header,footer{max-width:68rem}figure{overflow-x:auto}figure svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}";

export function heatmapPage(view: HeatmapView, options: HeatmapSvgOptions = {}): string {
  const title = formatHeatmapTitle(view);
  return htmlPage(
    pageHead(title, heatmapStyle),
    el(
      "body",
      el("header", el("h1", title), heatmapText(view)),
      el("main", el("figure", heatmapSvg(view, options)), heatmapTables(view)),
    ),
  );
}

/** The totals, what the colors mean, and what the heatmap does not include. */
export function heatmapText(view: HeatmapView): Markup {
  const note = describeNotes(view);
  return fragment(
    el("p", describeSubtitle(view, PEOPLE)),
    isAnyRoomDrawn(view) && el("p", { class: "note" }, describeScale(view)),
    note && el("p", note),
  );
}

/** Tables of cells, for readers who cannot see the drawing. */
export function heatmapTables(view: HeatmapView): Markup {
  const rooms = view.rooms.map((room) => {
    const picture = selectPicture(room, view);
    const cells = densestCells({ ...picture.view, rooms: [picture.room] }, MAX_CELLS_LISTED);
    return fragment(
      el("h3", cleanLine(room.room) || "(no name)"),
      el("p", describeRoom(room, view, { ...PEOPLE, drawn: true })),
      cells.length > 0 && table(cells, picture.view, room.room),
    );
  });
  const title = view.kind === "density" ? "Densest cells" : "Largest changes";
  return el("section", { "aria-labelledby": "cells" }, el("h2", { id: "cells" }, title), rooms);
}

function table(cells: readonly RankedCell[], { kind }: HeatmapView, room: string): Markup {
  const measures = kind === "density" ? ["Positions", "Share"] : ["Change (pp)"];
  const head = (text: string, right: boolean) => el("th", { scope: "col", class: right && "right" }, text);
  const right = (text: string) => el("td", { class: "right" }, text);
  const rows = cells.map((cell) =>
    el(
      "tr",
      el("th", { scope: "row" }, formatRange(cell.xMin, cell.xMax)),
      el("td", formatRange(cell.yMin, cell.yMax)),
      formatMeasures(cell).map(right),
    ),
  );
  return el(
    "table",
    el("caption", `Cells in ${cleanLine(room) || "(no name)"}`),
    el(
      "thead",
      el(
        "tr",
        head("x", false),
        head("y", false),
        measures.map((name) => head(name, true)),
      ),
    ),
    el("tbody", rows),
  );
}

function formatMeasures({ positions, share, change }: RankedCell): string[] {
  if (change !== null) return [formatPoints(change, Math.abs(change))];
  return [formatNumber(positions ?? 0, PEOPLE), formatTenths(share ?? 0)];
}

/** Both bounds with enough digits to distinguish them. */
function formatRange(min: number, max: number): Child {
  const step = max / 10 - min / 10;
  return `${numberLabel(min, step)} to ${numberLabel(max, step)}`;
}
