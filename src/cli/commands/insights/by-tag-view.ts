/** The terminal view of the problems of a build: the scope, a row for each problem, and what to run next. */
import type { InsightItem } from "../../../contract/insights.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { formatCount } from "../../../render/numbers.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { quoteForShell } from "../../../render/shell.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { textColumn, wideColumn } from "../../../render/tables/columns.ts";
import { keepTag } from "../../../render/tables/insights.ts";
import { cleanLine } from "../../../render/text.ts";
import { repeatSelection, type SelectionFlags } from "../../suggested-commands.ts";

/** A problem of a build. */
export interface TagGroup {
  readonly tag: string;
  /** Testers who had it. A session without a device counts as its own tester. */
  readonly testers: number;
  /** The insight with the strongest evidence among the newest; null if none was found. */
  readonly example: Pick<InsightItem, "id" | "sessionId" | "title"> | null;
}

/** The problems of a build, the one with the most testers first. */
export interface BuildTags {
  readonly game: string;
  readonly build: string;
  readonly environment: string;
  /** Testers of the build. */
  readonly testers: number;
  readonly items: readonly TagGroup[];
}

export const tagGroupColumns: readonly TableColumn<TagGroup>[] = [
  { key: "testers", header: "TESTERS", value: ({ testers }) => testers },
  keepTag(textColumn("tag", "TAG", ({ tag }) => tag)),
  textColumn("example.title", "EXAMPLE", ({ example }) => example?.title ?? null, 2),
  wideColumn(textColumn("example.sessionId", "SESSION", ({ example }) => example?.sessionId ?? null)),
  wideColumn(textColumn("example.id", "ID", ({ example }) => example?.id ?? null)),
];

interface TagTable {
  /** The number of problems that are not shown. */
  readonly rest: number;
  readonly selection: SelectionFlags;
}

/** Renders the view; it ends in a line feed. */
export function tagsView(found: BuildTags, { rest, selection }: TagTable, options: RenderOptions): string {
  const { game, build, environment, testers, items } = found;
  const scope = `${game} ${build} · ${environment} · ${formatCount(testers, "tester")} · problems by testers affected`;
  const tag = quoteForShell(items[0]?.tag ?? "");
  const version = quoteForShell(build);
  const next = [
    ...(rest > 0 ? [`${formatCount(rest, "more tag")} (--all)`] : []),
    ...(tag === null
      ? []
      : [`one tag: ${repeatSelection(`playtest insights list --tag ${tag}`, selection)}`]),
    ...(version === null
      ? []
      : [`where testers quit: ${repeatSelection(`playtest builds dropoff ${version}`, selection)}`]),
  ];
  const paint = painter(options);
  return [
    ...renderParagraph(cleanLine(scope), "", options).map((line) => paint(line, "strong")),
    "",
    renderTable(items, tagGroupColumns, options),
    ...next
      .flatMap((line) => renderParagraph(cleanLine(line), "", options))
      .map((line) => paint(line, "muted")),
    "",
  ].join("\n");
}
