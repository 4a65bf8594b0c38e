/** Parts of a report that could not be had are told in their place. */
import type { Part } from "../../pictures/report.ts";
import type { Block } from "./blocks.ts";

/** The blocks of a part, or why there are none. */
export function orMissing<T>(
  part: Part<T>,
  what: string,
  blocks: (value: T) => readonly Block[],
): readonly Block[] {
  if (part.ok) return blocks(part.value);
  const why = part.why.replace(/[.]*$/, ".");
  return [{ kind: "missing", text: `${what} could not be had. ${why} ${part.hint}` }];
}
