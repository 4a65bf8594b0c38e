/** Counts of insights by tag, as people read them at the terminal. */

import { formatTitleAndTag, type TitledTag } from "../../shared/tags.ts";
import { formatCount } from "../../shared/words.ts";

/** A tag with the number of insights, such as `Friction: Difficulty spike in furnace (difficulty-spike:furnace), 2 insights`. */
export function formatTagCount(
  label: string,
  { count, ...titled }: TitledTag & { readonly count: number },
): string {
  return `${label}: ${formatTitleAndTag(titled)}, ${formatCount(count, "insight")}`;
}
