/** Tags of insights as people read them at the terminal. */
import { formatTagTitle } from "../../shared/tags.ts";

/** The title of a tag, then the tag itself to copy, such as `Difficulty spike in furnace (difficulty-spike:furnace)`. */
export function formatTag(tag: string): string {
  const title = formatTagTitle(tag);
  return title === tag ? tag : `${title} (${tag})`;
}

/** A tag with the number of insights, such as `Friction: Difficulty spike in furnace (difficulty-spike:furnace), 2 insights`. */
export function formatTagCount(
  label: string,
  { tag, count }: { readonly tag: string; readonly count: number },
): string {
  return `${label}: ${formatTag(tag)}, ${count} ${count === 1 ? "insight" : "insights"}`;
}
