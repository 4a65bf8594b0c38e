/** The details of one record, as the command line lists them. */
import { EMPTY } from "../render/columns.ts";
import type { Detail } from "../render/details.ts";
import { formatNumber } from "../render/numbers.ts";
import type { Style } from "../render/style.ts";
import { type Child, el, type Markup } from "../render/svg/element.ts";
import { formatIsoTime, ISO_TIME } from "./elements.ts";

const classes: Partial<Record<Style, string>> = { good: "good", bad: "bad", muted: "note", strong: "strong" };

/** Labels and values. The value of a label in `links` is a link. */
export function detailList(
  details: readonly Detail[],
  links: Readonly<Record<string, string | null>> = {},
): Markup {
  return el(
    "dl",
    { class: "details" },
    details.map(([label, value, style]) => {
      const href = value === null ? null : links[label];
      const text = renderValue(value);
      return el(
        "div",
        {},
        el("dt", {}, label),
        el("dd", { class: style && classes[style] }, href ? el("a", { href }, text) : text),
      );
    }),
  );
}

function renderValue(value: Detail[1]): Child {
  if (value === null) return EMPTY;
  if (typeof value === "number") return formatNumber(value, { tty: true });
  return ISO_TIME.test(value) ? el("time", { datetime: value }, formatIsoTime(value)) : textLines(value);
}

/** A text of a tester with its line breaks. */
export function textLines(text: string): Child {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  return lines.map((line, at) => [at > 0 && el("br"), line]);
}
