/** Draws a share as a bar. */
import type { RenderOptions } from "./options.ts";

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

/**
 * A bar for a share from 0 to 1, at most `width` columns long, with a resolution of an eighth of a column (`#` without
 * eighths in plain mode). The bar is not padded, and any share above 0 is visible.
 */
export function bar(fraction: number, width: number, options: Pick<RenderOptions, "plain">): string {
  const share = Math.min(1, Math.max(0, Number.isNaN(fraction) ? 0 : fraction));
  const columns = Math.max(0, Math.floor(width));
  if (share === 0 || columns === 0) return "";
  if (options.plain) return "#".repeat(Math.max(1, Math.round(share * columns)));
  const eighths = Math.max(1, Math.round(share * columns * 8));
  return "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
}
