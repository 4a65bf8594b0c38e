/** Writes a report as a single HTML page without scripts or external resources. The element builder escapes all text. */

import { MAX_TEXT, renderBlock, withLineBreaks } from "../html/blocks.ts";
import { pageHead } from "../html/head.ts";
import { el, htmlPage, type Markup } from "../svg/element.ts";
import { truncateText } from "../text.ts";
import type { ReportDocument, ReportSection } from "./blocks.ts";

const marks = { passed: "✓ ", failed: "✗ ", inconclusive: "? " } as const;

/** The whole page. */
export function reportHtml({
  title,
  subtitle,
  answer,
  verdict,
  facts,
  sections,
  footer,
}: ReportDocument): string {
  const reasons = verdict.reasons.map((reason) => el("li", {}, withLineBreaks(reason)));
  return htmlPage(
    { lang: "en" },
    pageHead(truncateText(title, MAX_TEXT)),
    el(
      "body",
      {},
      el(
        "header",
        {},
        el("h1", {}, withLineBreaks(title)),
        el("p", { class: "note" }, withLineBreaks(subtitle)),
        answer.length > 0 && el("p", {}, withLineBreaks(answer.join(" "))),
      ),
      el(
        "main",
        {},
        el(
          "section",
          { class: `verdict ${verdict.state}`, "aria-labelledby": "verdict" },
          el(
            "h2",
            { id: "verdict" },
            el("span", { "aria-hidden": "true" }, marks[verdict.state]),
            verdict.title,
          ),
          reasons.length > 0 && el("ul", {}, reasons),
        ),
        el(
          "dl",
          {},
          facts.map(({ label, value, mood }) =>
            el("div", {}, el("dt", {}, label), el("dd", { class: mood }, value)),
          ),
        ),
        sections.map(section),
      ),
      el("footer", {}, el("p", {}, footer)),
    ),
  );
}

function section({ id, title, blocks }: ReportSection): Markup {
  return el("section", { "aria-labelledby": id }, el("h2", { id }, title), blocks.map(renderBlock));
}
