/** The sections about what changed: every row with its change and result, and quotes. */
import type { ReportData, ReportQuotes } from "../../charts/report.ts";
import { describeAnswer, describeChange, formatRange, formatSides } from "../../charts/scorecard.ts";
import { statusGroups } from "../../charts/scorecard-chart.ts";
import type { TitledRow } from "../../scorecard/titled-rows.ts";
import { rulingTitles } from "../gate/words.ts";
import { formatCount } from "../numbers.ts";
import { shortenIds } from "../short-ids.ts";
import {
  blocksOrMissing,
  type ReportBlock,
  type ReportSection,
  type TableBlock,
  textCell,
  versionTitle,
} from "./blocks.ts";

/** Maximum number of rows per group. */
const MAX_ROWS = 40;

/** Metrics with a section of their own. */
const elsewhere = ["rating", "yes", "completion"];

export function frictionSection(data: ReportData): ReportSection {
  const { scorecard } = data;
  const title = "What changed for players";
  const rows = scorecard.rows.filter(({ name }) => !elsewhere.includes(name));
  if (rows.length === 0) {
    return { id: "friction", title, blocks: [{ kind: "text", text: `${describeAnswer(scorecard)}.` }] };
  }
  return { id: "friction", title, blocks: [buildTable(data, rows)] };
}

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
    groups: statusGroups
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

/** The first session and the number of other sessions. */
export const formatSessions = (ids: readonly string[]) => {
  const [id = "", ...more] = ids;
  const first = shortenIds(ids).get(id) ?? id;
  return more.length === 0 ? first : `${first} and ${formatCount(more.length, "more session")}`;
};

const sources: Readonly<Record<ReportQuotes["from"], string>> = {
  all: "",
  newest: "Only the newest answers of the build were read.",
  evidence: "Only answers from the sessions worth watching were read.",
};

export function quotesSection({ quotes }: ReportData): ReportSection {
  const blocks = blocksOrMissing(quotes, "quotes", (value): ReportBlock[] => {
    const note = sources[value.from];
    if (value.quotes.length === 0) return [{ kind: "text", text: `No written feedback. ${note}`.trim() }];
    const quoted = value.quotes.map(({ text, question, sessionIds }) => ({
      text,
      source: `Answer to “${question}” in ${formatSessions(sessionIds)}`,
    }));
    return [
      ...(note === "" ? [] : [{ kind: "note" as const, text: note }]),
      { kind: "quotes", quotes: quoted },
    ];
  });
  return { id: "quotes", title: "Player quotes", blocks };
}
