/** The sections about suggestions, sessions worth watching, and the method of the gate. */
import { MAX_SHOWN_ROWS, type ReportData } from "../../charts/report.ts";
import { MAX_ROW_EVIDENCE } from "../../contract/scorecard.ts";
import type { SessionEvidence } from "../../contract/verdict.ts";
import { linkToMoment } from "../../shared/page-links.ts";
import { describeMethod } from "../gate/words.ts";
import { shortenIds } from "../short-ids.ts";
import { formatDuration, isoTime } from "../time.ts";
import {
  blocksOrMissing,
  type ReportBlock,
  type ReportCell,
  type ReportSection,
  textCell,
} from "./blocks.ts";
import { listMoments, toHref } from "./cards.ts";

const MAX_SUGGESTIONS = 6;

export function suggestionsSection(data: ReportData): ReportSection {
  const { suggested } = data;
  const blocks = blocksOrMissing(suggested, "suggestions", ({ suggestions, author }): ReportBlock[] => {
    if (suggestions.length === 0)
      return [{ kind: "text", text: "No suggestions: the analyzed sessions show no friction to improve." }];
    return [
      {
        kind: "note",
        text: `Based on friction that did not improve, the worst first. ${author} Suggestions do not affect the verdict.`,
      },
      ...suggestions
        .slice(0, MAX_SUGGESTIONS)
        .flatMap(({ title, rationale, sessions }, index): ReportBlock[] => [
          { kind: "heading", text: `${index + 1}. ${title}` },
          { kind: "text", text: rationale },
          ...(sessions === null || sessions === undefined || sessions.length === 0
            ? []
            : [{ kind: "list" as const, items: [listMoments(sessions, data)] }]),
        ]),
    ];
  });
  return { id: "suggestions", title: "What to change first", blocks };
}

/** The sessions behind each row that is worse or may be. */
export function watchSection(data: ReportData, tz: string): ReportSection {
  const { found, scorecard, verdict } = data;
  const blocks = blocksOrMissing(found, "sessions worth watching", (evidence): ReportBlock[] => {
    const byMetric = new Map(evidence.map(({ metric, sessions }) => [metric, sessions]));
    const groups = scorecard.rows
      .map((row) => ({ row, sessions: byMetric.get(row.metric) ?? [] }))
      .filter(({ sessions }) => sessions.length > 0)
      .slice(0, MAX_SHOWN_ROWS);
    if (groups.length === 0) {
      return [
        {
          kind: "text",
          text: `Found no session of ${verdict.b.version} behind friction or quits that got worse.`,
        },
      ];
    }
    return [
      {
        kind: "note",
        text: `Up to ${MAX_ROW_EVIDENCE} sessions for each change for the worse, also where it may be chance. Run “playtest sessions get <id>” for the details of a session.`,
      },
      {
        kind: "table",
        caption: "Sessions worth watching, by what they show",
        columns: [
          { title: "What happened" },
          { title: "Session" },
          { title: `Recorded (${tz})`, tight: true, wide: true },
          { title: "Length", right: true, wide: true },
        ],
        groups: groups.map(({ row, sessions }) => ({
          title: row.title,
          mood: row.status === "worse" ? "bad" : "neutral",
          rows: sessions.map((session) => toSessionRow(session, row.title, data, tz)),
        })),
      },
    ];
  });
  return { id: "watch", title: "Sessions worth watching", blocks };
}

function toSessionRow(
  session: SessionEvidence,
  rowTitle: string,
  data: ReportData,
  tz: string,
): ReportCell[] {
  const { title, activeSec, sessionTitle, testerHandle, sessionId, recordedAt, duration } = session;
  const moment = activeSec === null ? "" : `, after ${formatDuration(activeSec)} of play`;
  return [
    textCell(`${title ?? rowTitle}${moment}`),
    textCell(testerHandle === null ? sessionTitle : `${sessionTitle} (${testerHandle})`, {
      under: shortenIds([sessionId]).get(sessionId) ?? sessionId,
      ...toHref(data, linkToMoment(data.game.slug, session)),
    }),
    textCell(isoTime(recordedAt, tz).slice(0, 16).replace("T", " ")),
    textCell(formatDuration(duration)),
  ];
}

/** The limits, exceptions and notes of the gate, and the meaning of its terms. */
export function methodSection({ verdict }: ReportData): ReportSection {
  const { limits, allow, notes } = verdict;
  const table: ReportBlock[] =
    limits.length === 0
      ? []
      : [
          {
            kind: "table",
            caption: "Limits of the gate",
            columns: [{ title: "Metric" }, { title: "Result" }, { title: "Value" }, { title: "Limit" }],
            groups: [
              {
                title: "",
                mood: "neutral",
                rows: limits.map(({ name, status, found, expected }) => [
                  textCell(name),
                  textCell(status, status === "failed" ? { mood: "bad" } : {}),
                  textCell(found),
                  textCell(expected),
                ]),
              },
            ],
          },
        ];
  const texts = [
    "Worse and better: the difference between the builds is larger than chance. Ruled out: a change for the worse that matters is ruled out. Unclear: neither can be said.",
    "Ranges hold for all rows of a family together; those of shares are in percentage points.",
    describeMethod(verdict),
    "The gate fails if a row is worse by more than its limit, and in a new room if surely more testers than its limit are affected.",
    ...notes,
    ...allow.map(({ tag, reason, expires }) => `Allowed until ${expires}: ${tag}. Reason: ${reason}`),
  ];
  return {
    id: "method",
    title: "How to read this",
    blocks: [{ kind: "list", items: texts.map((text) => [textCell(text)]) }, ...table],
  };
}
