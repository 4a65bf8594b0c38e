/** The contents of table cells, as the command line shows them. */
import { cellText, EMPTY, resolveAlign, type TableColumn } from "../render/columns.ts";
import { formatNumber } from "../render/numbers.ts";
import type { RenderOptions } from "../render/options.ts";
import { shortenIds } from "../render/short-ids.ts";
import type { Style } from "../render/style.ts";
import { type Child, el } from "../render/svg/element.ts";

const PEOPLE = { tty: true } as const;
/** Cells have times in UTC instead of ages, so that a page only changes when its data does. */
export const CELLS: RenderOptions = {
  width: 0,
  color: 0,
  plain: true,
  wide: true,
  tty: false,
  now: 0,
  tz: "UTC",
};

const styleClasses: Partial<Record<Style, string>> = { good: "good", bad: "bad", muted: "muted" };

export interface CellColumn<T> {
  readonly column: TableColumn<T>;
  readonly right: boolean;
  readonly contents: readonly Child[];
  readonly classes: ReadonlyArray<string | null>;
}

/** Texts up to this length are not broken, in UTF-16 units. */
const SHORT = 24;

/** The class of a text by its length, so that short ones are not broken and long ones are not squeezed. */
function lengthClass(content: Child): string | null {
  if (typeof content !== "string") return null;
  if (content === EMPTY || content === "") return "none";
  return content.length <= SHORT ? "short" : "long";
}

export function toCells<T>(column: TableColumn<T>, rows: readonly T[]): CellColumn<T> {
  const values = rows.map((row) => column.value(row));
  const right = resolveAlign(column, values) === "right";
  const shortIds = shortenIds(column.shortens ? values.map(String) : []);
  const contents = values.map((value, index) => {
    if (typeof value === "number" && !column.format) return formatNumber(value, PEOPLE);
    const text = cellText(column, value, rows[index] as T, CELLS);
    return ISO_TIME.test(text)
      ? el("time", { datetime: text }, formatIsoTime(text))
      : showName(shortIds.get(text) ?? text);
  });
  const classes = rows.map((row, index) => {
    const content = contents[index];
    const style = typeof column.style === "function" ? column.style(row) : column.style;
    const names = [right && "right", lengthClass(content), style && styleClasses[style]];
    return names.filter(Boolean).join(" ") || null;
  });
  return { column, right, contents, classes };
}

export const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** A time in UTC without seconds, such as `2026-03-01 12:00`. */
export const formatIsoTime = (iso: string) => iso.slice(0, 16).replace("T", " ");

/** A text, or a substitute if it is not empty but nothing of it can be seen, as a link would then be. */
export const showName = (text: string) => (text === "" || /[^\s\p{Cf}]/u.test(text) ? text : "(blank)");
