/** The section about ratings and completed rooms in both builds. */

import { formatInterval } from "../../charts/friction.ts";
import type { ReportData } from "../../charts/report.ts";
import { newcombeInterval } from "../../statistics/intervals.ts";
import { type ReportBlock, type ReportSection, textCell, versionTitle } from "./blocks.ts";

/** The section, or nothing if testers gave no ratings and completed no rooms. */
export function outcomeSections(data: ReportData): ReportSection[] {
  const blocks = [...buildRatings(data), ...buildRooms(data)];
  return blocks.length === 0 ? [] : [{ id: "outcomes", title: "Ratings and completed rooms", blocks }];
}

function buildRatings({ verdict: { outcomes, a, b } }: ReportData): ReportBlock[] {
  if (outcomes === null || outcomes.a.ratings.length === 0) return [];
  const format = (rating: (typeof outcomes.a.ratings)[number] | undefined) =>
    typeof rating?.mean === "number" ? `${rating.mean.toFixed(1)} (${rating.testers})` : "-";
  const rows = outcomes.a.ratings.map((rating, at) => [
    textCell(rating.label),
    textCell(format(rating)),
    textCell(format(outcomes.b.ratings[at])),
  ]);
  return [
    {
      kind: "note",
      text: "Mean ratings from 1 to 5, with the number of testers. Each tester's latest answer counts.",
    },
    {
      kind: "table",
      caption: "Ratings in both builds",
      columns: [
        { title: "Question" },
        { title: versionTitle(a.version), right: true },
        { title: versionTitle(b.version), right: true },
      ],
      groups: [{ title: "", mood: "neutral", rows }],
    },
  ];
}

function buildRooms({ verdict: { outcomes, a, b } }: ReportData): ReportBlock[] {
  if (outcomes === null || outcomes.a.rooms.length === 0) return [];
  const rows = outcomes.a.rooms.map((before, at) => {
    const after = outcomes.b.rooms[at] ?? { testersEntered: 0, testersCompleted: 0 };
    const [totalA, totalB] = [before.testersEntered, after.testersEntered];
    const interval =
      totalA === 0 || totalB === 0
        ? null
        : newcombeInterval({
            testersA: before.testersCompleted,
            totalA,
            testersB: after.testersCompleted,
            totalB,
          });
    return [
      textCell(before.room),
      textCell(`${before.testersCompleted} of ${totalA}`),
      textCell(`${after.testersCompleted} of ${totalB}`),
      textCell(
        interval === null ? "-" : formatInterval({ low: interval.low * 100, high: interval.high * 100 }),
      ),
    ];
  });
  return [
    {
      kind: "note",
      text: "Testers who completed each room, of those who entered it, and the 95% interval of the difference in percentage points. Rooms with the largest differences come first. Some of these differences are large by chance, so the true differences of the first rooms are probably smaller.",
    },
    {
      kind: "table",
      caption: "Completed rooms in both builds",
      columns: [
        { title: "Room" },
        { title: versionTitle(a.version), right: true },
        { title: versionTitle(b.version), right: true },
        { title: "Interval (pp)", right: true },
      ],
      groups: [{ title: "", mood: "neutral", rows }],
    },
  ];
}
