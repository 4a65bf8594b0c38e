/** The sections about what changed: every row with its change and result, evidence for those that are worse, and quotes. */

import type { BuildFindings, ReportData, ReportFinding } from "../../charts/report.ts";
import { MAX_TITLES_PER_TAG } from "../../charts/report.ts";
import { describeAnswer, describeChange, formatRange, formatSides } from "../../charts/scorecard.ts";
import type { RowStatus } from "../../scorecard/rows.ts";
import type { TitledRow } from "../../scorecard/titled-rows.ts";
import { rulingTitles } from "../gate/words.ts";
import { formatCount } from "../numbers.ts";
import { type ReportBlock, type ReportSection, type TableBlock, textCell, versionTitle } from "./blocks.ts";
import { blocksOrMissing } from "./missing.ts";

/** Maximum number of tags with evidence, and of rows per group. */
const MAX_TAGS = 8;
const MAX_ROWS = 40;

/** Metrics with a section of their own. */
const elsewhere = ["rating", "yes", "completion"];

export function frictionSection(data: ReportData): ReportSection {
  const { scorecard, found } = data;
  const title = "What changed for players";
  const rows = scorecard.rows.filter(({ name }) => !elsewhere.includes(name));
  if (rows.length === 0) {
    return { id: "friction", title, blocks: [{ kind: "text", text: `${describeAnswer(scorecard)}.` }] };
  }
  const increased = rows.filter(
    ({ family, difference, isNewRoom }) => family === "friction" && (isNewRoom || (difference ?? 0) > 0),
  );
  const findings =
    increased.length === 0
      ? []
      : blocksOrMissing(found, "evidence", (value) => buildEvidenceBlocks(value, increased));
  return { id: "friction", title, blocks: [buildTable(data, rows), ...findings] };
}

const groups: ReadonlyArray<{
  readonly status: RowStatus;
  readonly title: string;
  readonly mood: TableBlock["groups"][number]["mood"];
}> = [
  { status: "worse", title: "Worse", mood: "bad" },
  { status: "better", title: "Better", mood: "good" },
  { status: "unclear", title: "Unclear", mood: "neutral" },
  { status: "ruled out", title: "Ruled out", mood: "neutral" },
  { status: "not comparable", title: "Not comparable", mood: "neutral" },
];

function buildTable({ verdict }: ReportData, all: readonly TitledRow[]): TableBlock {
  const rulings = new Map(verdict.checks.map(({ id, ruling }) => [id, ruling]));
  return {
    kind: "table",
    caption: "What testers did in both builds",
    columns: [
      { title: "What testers did" },
      {
        title: `Testers, ${versionTitle(verdict.a.version)} → ${versionTitle(verdict.b.version)}`,
        tight: true,
      },
      { title: "Change" },
      { title: "Range", right: true, wide: true },
      { title: "Gate", tight: true, wide: true },
    ],
    groups: groups
      .map(({ status, title, mood }) => {
        const rows = all.filter((row) => row.status === status);
        const shown = rows.slice(0, MAX_ROWS).map((row) => {
          const ruling = rulings.get(row.id);
          return [
            textCell(row.title, row.id === row.title ? {} : { under: row.id }),
            textCell(formatSides(row)),
            textCell(describeChange(row), { mood }),
            textCell(formatRange(row) ?? "-"),
            textCell(
              ruling === undefined ? "-" : rulingTitles[ruling],
              ruling === "failed" ? { mood: "bad" } : {},
            ),
          ];
        });
        const more = rows.length > MAX_ROWS ? `, ${MAX_ROWS} largest` : "";
        return { title: `${title} (${rows.length}${more})`, mood, rows: shown };
      })
      .filter(({ rows }) => rows.length > 0),
  };
}

/** The insights of each tag that increased. */
function buildEvidenceBlocks({ tags, isCut }: BuildFindings, increased: readonly TitledRow[]): ReportBlock[] {
  const rows = new Map(increased.map((row) => [row.id, row]));
  const withEvidence = tags.flatMap((found) => {
    const row = rows.get(found.tag);
    return row !== undefined && found.count > 0 ? [{ ...found, row }] : [];
  });
  const shown = withEvidence
    .toSorted((x, y) => increased.indexOf(x.row) - increased.indexOf(y.row))
    .slice(0, MAX_TAGS);
  const blocks = shown.flatMap(({ row, findings, count }): ReportBlock[] => [
    { kind: "heading", text: `${row.title} (${describeShown(findings, count)})` },
    {
      kind: "list",
      items: findings.map(({ title, sessionIds }) => [
        textCell(title),
        textCell(formatSessions(sessionIds), { code: true }),
      ]),
    },
  ]);
  return isCut
    ? [...blocks, { kind: "note", text: "Only the newest sessions and insights of the build were read." }]
    : blocks;
}

/** The number of insights, and how many of them are listed if not all are. */
function describeShown(findings: readonly ReportFinding[], count: number): string {
  if (findings.length < MAX_TITLES_PER_TAG) return formatCount(count, "insight");
  const shown = findings.reduce((sum, { sessionIds }) => sum + sessionIds.length, 0);
  return shown < count
    ? `${count} insights, the ${shown} most common are listed`
    : formatCount(count, "insight");
}

/** The first session and the number of other sessions. */
const formatSessions = ([first = "", ...more]: readonly string[]) =>
  more.length === 0 ? first : `${first} and ${formatCount(more.length, "more session")}`;

export function quotesSection({ quotes }: ReportData): ReportSection {
  const blocks = blocksOrMissing(quotes, "quotes", (value): ReportBlock[] => {
    if (value.length === 0)
      return [{ kind: "text", text: "No written feedback in the sessions worth watching." }];
    const quoted = value.map(({ text, question, sessionIds }) => ({
      text,
      source: `Answer to “${question}” in ${formatSessions(sessionIds)}`,
    }));
    return [
      { kind: "note", text: "Only answers from the sessions worth watching." },
      { kind: "quotes", quotes: quoted },
    ];
  });
  return { id: "quotes", title: "Player quotes", blocks };
}
