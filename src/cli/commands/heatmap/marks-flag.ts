/** heatmap --marks: what is marked over the cells. */
import { type MarkSelection, markKinds, markSelections } from "../../../contract/heatmaps.ts";
import { fail } from "../../errors.ts";

/** Parses kinds separated by commas, in any order. Throws `usage`. */
export function parseMarks(text: string | undefined): MarkSelection | undefined {
  if (text === undefined) return undefined;
  const words = text.split(",").map((word) => word.trim());
  const kinds = markKinds.filter((kind) => words.includes(kind)).join(",");
  const selection = markSelections.find((value) => value === kinds);
  if (selection !== undefined && words.every((word) => (markKinds as readonly string[]).includes(word)))
    return selection;
  throw fail("usage", {
    message: `--marks ${JSON.stringify(text)} must be ${markKinds.join(", ")} or both, separated by a comma`,
    hint: "For example, --marks deaths,quits.",
  });
}
