/** What people see of a friction diff: the changes by kind, worst first, each with its share in both builds. */
import type { BuildComparison, Change, changeKinds } from "../../../contract/builds.ts";
import { bar } from "../../../render/bars.ts";
import type { Column } from "../../../render/columns.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { cleanLine } from "../../../render/text.ts";
import { changeColumns, changeStyle } from "./change-columns.ts";

/** Worst first. */
const ORDER = [
  "introduced",
  "got_larger",
  "carried_over",
  "got_smaller",
  "resolved",
] as const satisfies readonly (typeof changeKinds)[number][];

const titles: Readonly<Record<string, string>> = {
  introduced: "Introduced",
  got_larger: "Got larger",
  carried_over: "Carried over",
  got_smaller: "Got smaller",
  resolved: "Resolved",
};

/** Which way each kind went. */
const worse = "▲ ";
const better = "▼ ";
const arrows: Readonly<Record<string, string>> = {
  introduced: worse,
  got_larger: worse,
  carried_over: "= ",
  got_smaller: better,
  resolved: better,
};

const BAR_WIDTH = 12;

/** The whole view, ending in a line feed. */
export function compareView(data: BuildComparison, options: RenderOptions): string {
  const paint = painter(options);
  const kinds = [...new Set([...ORDER, ...data.diff.changes.map((change) => change.kind)])];
  const lines = [headOf(data, options)];
  for (const kind of kinds) {
    const changes = data.diff.changes.filter((change) => change.kind === kind);
    if (changes.length === 0) continue;
    const arrow = options.plain ? "" : (arrows[kind] ?? "");
    const title = `${arrow}${titles[kind] ?? cleanLine(kind)} (${changes.length})`;
    lines.push(`\n${paint(title, changeStyle(kind))}\n`, changesTable(data, changes, options));
  }
  if (data.diff.changes.length === 0) lines.push(`\n${withoutChanges(data)}\n`);
  return lines.join("");
}

/** Nothing found where nobody played is no good news. */
function withoutChanges({ buildA, buildB }: BuildComparison): string {
  const empty = [buildA, buildB].filter((side) => side.testersInBatch === 0);
  if (empty.length === 0) return "No friction in either build.";
  return `Nothing to compare: no testers of ${empty.map(({ version }) => cleanLine(version)).join(" and ")}.`;
}

function headOf({ game, environment, buildA, buildB }: BuildComparison, options: RenderOptions): string {
  const paint = painter(options);
  const side = ({ version, testersInBatch }: BuildComparison["buildA"]) =>
    `${cleanLine(version)} (${testersInBatch} testers)`;
  const title = `${cleanLine(game.name)}: ${side(buildA)} to ${side(buildB)}`;
  const where = environment === "all" ? "every environment" : cleanLine(environment);
  const note = `Shares of testers who met each kind of friction, in ${where}.`;
  const heading = renderParagraph(title, "", options).map((line) => paint(line, "strong"));
  const notes = renderParagraph(note, "", options).map((line) => paint(line, "muted"));
  return `${[...heading, ...notes].join("\n")}\n`;
}

function changesTable(data: BuildComparison, changes: readonly Change[], options: RenderOptions): string {
  const columns = changeColumns(data).filter((column) => column.key !== "kind");
  const drawn: Column<Change> = {
    key: "bar",
    header: "",
    value: ({ deltaPct }) => bar(Math.abs(deltaPct) / 100, BAR_WIDTH, options),
    style: ({ kind }) => changeStyle(kind),
  };
  return renderTable(changes, options.plain ? columns : [...columns, drawn], options);
}
