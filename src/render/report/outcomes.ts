/** The section about ratings and completed rooms in both builds. */

import type { ReportData } from "../../charts/report.ts";
import { describeChange, formatRange, formatSides } from "../../charts/scorecard.ts";
import type { TitledRow } from "../../scorecard/titled-rows.ts";
import { type ReportBlock, type ReportSection, textCell, versionTitle } from "./blocks.ts";

/** The section, or nothing if testers gave no ratings and completed no rooms. */
export function outcomeSections(data: ReportData): ReportSection[] {
  const { rows } = data.scorecard;
  const blocks = [
    ...buildTable(
      data,
      rows.filter(({ family }) => family === "ratings"),
      {
        note: "Means of the latest answer of each tester, and how many of them said yes.",
        caption: "Ratings in both builds",
      },
    ),
    ...buildTable(
      data,
      rows.filter(({ name }) => name === "completion"),
      {
        note: "Testers who completed each room, of those who entered it.",
        caption: "Completed rooms in both builds",
      },
    ),
  ];
  return blocks.length === 0 ? [] : [{ id: "outcomes", title: "Ratings and completed rooms", blocks }];
}

function buildTable(
  { verdict: { a, b } }: ReportData,
  rows: readonly TitledRow[],
  { note, caption }: { readonly note: string; readonly caption: string },
): ReportBlock[] {
  if (rows.length === 0) return [];
  return [
    { kind: "note", text: note },
    {
      kind: "table",
      caption,
      columns: [
        { title: "What testers did" },
        { title: `${versionTitle(a.version)} → ${versionTitle(b.version)}`, right: true },
        { title: "Change" },
        { title: "Range", right: true, wide: true },
        { title: "Result", wide: true },
      ],
      groups: [
        {
          title: "",
          mood: "neutral",
          rows: rows.map((row) => [
            textCell(row.title),
            textCell(formatSides(row)),
            textCell(describeChange(row)),
            textCell(formatRange(row) ?? "-"),
            textCell(
              row.status,
              row.status === "worse" ? { mood: "bad" } : row.status === "better" ? { mood: "good" } : {},
            ),
          ]),
        },
      ],
    },
  ];
}
