/** What to do with a build: what to change first, which sessions to watch, and how the verdict was come by. */
import type { ReportData } from "../../charts/report.ts";
import { formatCount } from "../gate/words.ts";
import { formatShare } from "../numbers.ts";
import { formatDuration, isoTime } from "../time.ts";
import { type ReportBlock, type ReportSection, textCell } from "./blocks.ts";
import { blocksOrMissing } from "./missing.ts";

/** Told at most. */
const MAX_SUGGESTIONS = 6;

export function suggestionsSection({ suggested }: ReportData): ReportSection {
  const blocks = blocksOrMissing(suggested, "Suggestions", ({ suggestions, byModel }): ReportBlock[] => {
    if (suggestions.length === 0)
      return [{ kind: "text", text: "Nothing was found that calls for a change." }];
    const made = byModel ? "By the account’s model" : "By rules, for the model gave nothing sound";
    return [
      { kind: "note", text: `${made}; from what got no better. They are hints, and none was judged.` },
      ...suggestions
        .slice(0, MAX_SUGGESTIONS)
        .flatMap(({ title, rationale, confidence, evidence }, at): ReportBlock[] => [
          { kind: "heading", text: `${at + 1}. ${title}` },
          { kind: "text", text: rationale },
          {
            kind: "note",
            text: `${formatShare(confidence)} sure, by ${formatCount(evidence.length, "finding")}${evidence[0] === undefined ? "" : ` such as ${evidence[0]}`}`,
          },
        ]),
    ];
  });
  return { id: "suggestions", title: "What to change first", blocks };
}

export function watchSection({ found, verdict }: ReportData, tz: string): ReportSection {
  const blocks = blocksOrMissing(found, "The sessions", ({ watch }): ReportBlock[] => {
    if (watch.length === 0) {
      return [{ kind: "text", text: `No session of ${verdict.b.version} shows friction that got worse.` }];
    }
    const rows = watch.map(({ title, tester, recordedAt, duration, reasons, id }) => [
      textCell(`${title}${tester === null ? "" : `, by ${tester}`}`, { under: id }),
      textCell(isoTime(recordedAt, tz).slice(0, 16).replace("T", " ")),
      textCell(formatDuration(duration)),
      textCell(reasons.join("; ")),
    ]);
    return [
      {
        kind: "note",
        text: "Those that show most of what was introduced or got larger. The command “playtest sessions get”, with an id, tells all of one.",
      },
      {
        kind: "table",
        caption: "Sessions worth watching, the most telling first",
        columns: [
          { title: "Session" },
          { title: `Played (${tz})`, tight: true, wide: true },
          { title: "Length", right: true, wide: true },
          { title: "Why" },
        ],
        groups: [{ title: "", mood: "neutral", rows }],
      },
    ];
  });
  return { id: "watch", title: "Sessions worth watching", blocks };
}

/** The limits, allowances and notes of the gate, and what its words mean. */
export function methodSection({ verdict }: ReportData): ReportSection {
  const { limits, allow, notes } = verdict;
  const table: ReportBlock[] =
    limits.length === 0
      ? []
      : [
          {
            kind: "table",
            caption: "Limits of the gate",
            columns: [{ title: "Limit" }, { title: "Result" }, { title: "Found" }, { title: "Expected" }],
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
    "A tag’s share is the testers who met it, of all testers of the build. Points are percentage points between the two.",
    "The gate counts a growth that is both material and unlikely by chance; “could be chance” is growth that as few testers may show by luck.",
    ...notes,
    ...allow.map(({ tag, reason, expires }) => `Allowed until ${expires}: ${tag}, ${reason}`),
  ];
  return {
    id: "method",
    title: "How to read this",
    blocks: [{ kind: "list", items: texts.map((text) => [textCell(text)]) }, ...table],
  };
}
