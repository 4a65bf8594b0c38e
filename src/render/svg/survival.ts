/** Draws how far testers got as lines over the rooms: one build solid, the other dashed, each with its name. */
import { type Reached, type Survival, shareOf } from "../../charts/survival.ts";
import { formatShare } from "../numbers.ts";
import { cleanLine } from "../text.ts";
import { type ChartInk, estimateWidth, filled, stroked, svgText, truncateToWidth } from "./chart-theme.ts";
import { el, fragment, type Markup, svgImage } from "./element.ts";

const SIZE = 12;
/** Pixels. The names of the builds stand to the right of the lines. */
const PLOT = { left: 44, top: 22, height: 170 } as const;
const MIN_STEP = 56;
const LABEL_GAP = SIZE + 3;

const looks: ReadonlyArray<{ readonly ink: ChartInk; readonly dashes: string | null }> = [
  { ink: "good", dashes: null },
  { ink: "muted", dashes: "5 4" },
];

interface Point {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** The curve as an SVG element without ids, at least `minWidth` wide. */
export function survivalSvg(chart: Survival, minWidth: number): Markup {
  const names = chart.builds.map((version) => truncateToWidth(cleanLine(version), 120, SIZE));
  const right = Math.max(...names.map((name) => estimateWidth(name, SIZE))) + 16;
  const width = Math.max(minWidth, PLOT.left + right + MIN_STEP * chart.rooms.length);
  const step = (width - PLOT.left - right) / chart.rooms.length;
  const base = PLOT.top + PLOT.height;
  const lines = chart.builds.map((_, build) => placePoints(chart, build, step));
  const height = base + SIZE * 3;
  return svgImage(
    {
      ...{ class: "chart survival", width: Math.ceil(width), height: Math.ceil(height) },
      label: describeSurvival(chart),
    },
    [0, 0.5, 1].map((share) => gridLine(share, width - right)),
    chart.rooms.map(({ room }, at) => roomName(room, PLOT.left + (at + 0.5) * step, step - 8)),
    lines.map((points, build) => drawLine(points, build)).reverse(),
    lines.map((points, build) => drawNumbers(points, lines[1 - build] ?? [], build)),
    drawNames(names, lines),
  );
}

/** The name of a room in at most two lines. */
function roomName(room: string, x: number, width: number): Markup {
  const name = cleanLine(room);
  const fits = estimateWidth(name, SIZE) <= width;
  const end =
    1 + Math.max(...["-", "_", " ", ".", "/"].map((mark) => name.lastIndexOf(mark, name.length - 2)));
  const parts = fits || end === 0 ? [name] : [name.slice(0, end), name.slice(end)];
  const y = PLOT.top + PLOT.height + SIZE * 1.5;
  return fragment(
    parts.map((part, line) =>
      svgText(truncateToWidth(part, width, SIZE), x, y + line * (SIZE + 2), {
        ...{ size: SIZE, ink: "muted", anchor: "middle" },
      }),
    ),
  );
}

const yOf = (share: number) => PLOT.top + PLOT.height * (1 - share);

function gridLine(share: number, x2: number): Markup {
  const y = yOf(share);
  return fragment(
    el("line", { x1: PLOT.left, x2, y1: y, y2: y, ...stroked(share === 0 ? "muted" : "grid") }),
    svgText(formatShare(share), PLOT.left - 8, y + SIZE / 3, { size: SIZE, ink: "muted", anchor: "end" }),
  );
}

const placePoints = ({ rooms }: Survival, build: number, step: number): Array<Point | null> =>
  rooms.map(({ reached }, at) => {
    const counts = reached[build] ?? null;
    if (counts === null) return null;
    const share = shareOf(counts);
    return { x: PLOT.left + (at + 0.5) * step, y: yOf(share), text: formatShare(share) };
  });

/** The line from room to room. It is broken where nobody entered. */
function drawLine(points: ReadonlyArray<Point | null>, build: number): Markup {
  const { ink = "muted", dashes = null } = looks[build] ?? {};
  const path = points.flatMap((point, at) =>
    point === null ? [] : [`${points[at - 1] ? "L" : "M"}${point.x.toFixed(1)} ${point.y.toFixed(1)}`],
  );
  return fragment(
    el("path", { d: path.join(" "), ...stroked(ink, build === 0 ? 2.5 : 2), "stroke-dasharray": dashes }),
    points.map((point) =>
      point === null
        ? null
        : el("circle", { cx: point.x, cy: point.y, r: build === 0 ? 4 : 3, ...filled(ink) }),
    ),
  );
}

/** The share at each point: above the higher line, and below the lower one. The other build does not repeat an equal share. */
function drawNumbers(
  points: ReadonlyArray<Point | null>,
  others: ReadonlyArray<Point | null>,
  build: number,
): Markup {
  const { ink = "muted" } = looks[build] ?? {};
  return fragment(
    points.map((point, at) => {
      const other = others[at] ?? null;
      if (point === null || (build > 0 && point.text === other?.text)) return null;
      const isBelow = other !== null && (point.y > other.y || (point.y === other.y && build > 0));
      return svgText(point.text, point.x, point.y + (isBelow ? SIZE + 6 : -8), {
        ...{ size: SIZE, ink, anchor: "middle", bold: build === 0 },
      });
    }),
  );
}

/** The name of each build at the end of its line, one below the other if the lines end at the same place. */
function drawNames(names: readonly string[], lines: ReadonlyArray<ReadonlyArray<Point | null>>): Markup {
  const ends = lines.map((points) => points.findLast((point) => point !== null) ?? null);
  const [first, second] = ends;
  const isClose = first && second && first.x === second.x && Math.abs(first.y - second.y) < LABEL_GAP;
  return fragment(
    names.map((name, build) => {
      const end = ends[build] ?? null;
      if (end === null) return null;
      const isLower = second && first && (build === 0 ? first.y > second.y : second.y >= first.y);
      const shift = isClose ? (isLower ? LABEL_GAP / 2 : -LABEL_GAP / 2) : 0;
      const { ink = "muted" } = looks[build] ?? {};
      return svgText(name, end.x + 22, end.y + SIZE / 3 + shift, { size: SIZE, ink, bold: build === 0 });
    }),
  );
}

/** The curve in words, for readers who cannot see it. */
export function describeSurvival({ builds, rooms }: Survival): string {
  const lines = builds.map((version, build) => {
    const shares = rooms.flatMap(({ room, reached }) => {
      const counts = reached[build];
      return counts ? [`${room} ${formatReached(counts)}`] : [];
    });
    return `${version}: ${shares.join(", ")}`;
  });
  return `Share of testers who entered each room. ${lines.join(". ")}.`;
}

/** Such as `67% (18/27)`. */
export const formatReached = (counts: Reached): string =>
  `${formatShare(shareOf(counts))} (${counts.entered}/${counts.testers})`;
