/** Replaces unavailable parts of a report with an explanation. */
import type { ReportPart } from "../../charts/report.ts";
import { trimEndOf } from "../../shared/trim.ts";
import type { ReportBlock } from "./blocks.ts";

/** The blocks of a part, or a block that says why the part is not available. `what` is a plural or a mass noun. */
export function blocksOrMissing<T>(
  part: ReportPart<T>,
  what: string,
  blocks: (value: T) => readonly ReportBlock[],
): readonly ReportBlock[] {
  if (part.ok) return blocks(part.value);
  const why = `${trimEndOf(part.why, ".")}.`;
  return [{ kind: "missing", text: `No ${what} available. ${why} ${part.hint}` }];
}
