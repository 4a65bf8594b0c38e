/** The friction section of a report calls only tags worse that got worse beyond chance. */

import { expect, test } from "vitest";
import type { ReportData } from "../../src/charts/report.ts";
import type { ChangeResult } from "../../src/charts/tested-changes.ts";
import { frictionSection } from "../../src/render/report/friction.ts";

/** The notes of the section about tags with these results, which all increased and have one insight each. */
function listNotes(results: readonly ChangeResult[]): string[] {
  const tags = results.map((_, at) => `confusion:room-${at}`);
  const data = {
    friction: {
      game: "Ember Hollow",
      environment: "production",
      a: { version: "0.8.0", testers: 20 },
      b: { version: "0.9.0", testers: 20 },
      changes: results.map((result, at) => ({
        tag: tags[at] ?? "",
        title: tags[at] ?? "",
        kind: "introduced",
        deltaPct: 5,
        testersA: 0,
        testersB: 1,
        exposedA: 20,
        exposedB: 20,
        difference: 5,
        interval: { low: -5, high: 15 },
        pValue: 1,
        increasePValue: 1,
        result,
      })),
      basis: "all",
      notes: [],
    },
    verdict: { findings: [] },
    found: {
      ok: true,
      value: {
        tags: tags.map((tag) => ({ tag, count: 1, findings: [{ title: tag, sessionIds: ["sess_1"] }] })),
        watch: [],
        isCut: false,
      },
    },
  } as unknown as ReportData;
  const notes = frictionSection(data).blocks.flatMap((block) => (block.kind === "note" ? [block.text] : []));
  return notes.slice(1);
}

const repeat = (result: ChangeResult, count: number) => Array.from({ length: count }, () => result);

test.each([
  [repeat("worse", 8), []],
  [repeat("worse", 9), ["1 more tag got worse."]],
  [
    [...repeat("worse", 6), ...repeat("unclear", 6)],
    ["4 more tags increased, but did not clearly get worse."],
  ],
  [
    [...repeat("worse", 10), ...repeat("unequal", 1)],
    ["2 more tags got worse. 1 more tag increased, but did not clearly get worse."],
  ],
])("counts the tags without evidence by what their tests show: %j", (results, notes) => {
  expect(listNotes(results)).toEqual(notes);
});
