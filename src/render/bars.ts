/** Draws a share as a bar. */
import type { RenderOptions } from "./options.ts";

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

/**
 * A bar of a share from 0 to 1 in at most `width` columns, eighths of one drawn; `#` alone where plain.
 * It is as long as its share, not padded; a share above none always shows.
 */
export function bar(fraction: number, width: number, options: Pick<RenderOptions, "plain">): string {
  const share = Math.min(1, Math.max(0, Number.isNaN(fraction) ? 0 : fraction));
  const columns = Math.max(0, Math.floor(width));
  if (share === 0 || columns === 0) return "";
  if (options.plain) return "#".repeat(Math.max(1, Math.round(share * columns)));
  const eighths = Math.max(1, Math.round(share * columns * 8));
  return "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
}
