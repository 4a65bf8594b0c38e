/** Parts of a report that could not be had are told in their place. */
import type { ReportPart } from "../../charts/report.ts";
import type { ReportBlock } from "./blocks.ts";

/** The blocks of a part, or why there are none. */
export function blocksOrMissing<T>(
  part: ReportPart<T>,
  what: string,
  blocks: (value: T) => readonly ReportBlock[],
): readonly ReportBlock[] {
  if (part.ok) return blocks(part.value);
  const why = part.why.replace(/[.]*$/, ".");
  return [{ kind: "missing", text: `${what} could not be had. ${why} ${part.hint}` }];
}
