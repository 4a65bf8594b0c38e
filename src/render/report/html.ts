/** Writes a report as a single HTML page without scripts or external resources. The element builder escapes all text. */
import { MAX_TEXT, renderBlock, withLineBreaks } from "../html/blocks.ts";
import { pageHead } from "../html/head.ts";
import { el, fragment, htmlPage, type Markup } from "../svg/element.ts";
import { truncateText } from "../text.ts";
import { getMark } from "../verdict-marks.ts";
import type { ReportBlock, ReportDocument, ReportSection } from "./blocks.ts";
import { frameStyle, reportStyle } from "./report-style.ts";

export function reportHtml(document: ReportDocument): string {
  const { title, footer } = document;
  return htmlPage(
    pageHead(truncateText(title, MAX_TEXT), `${frameStyle}${reportStyle}`),
    el(
      "body",
      el("header", el("h1", withLineBreaks(title))),
      el("main", reportBody(document)),
      el("footer", el("p", footer)),
    ),
  );
}

/** The verdict, the cards and the folded sections. */
export const reportBody = ({ verdict, cards, sections }: Omit<ReportDocument, "title" | "footer">): Markup =>
  fragment(
    renderVerdict(verdict),
    el("div", { class: "cards" }, cards.map(renderCard)),
    el("div", { class: "folded" }, sections.map(renderFolded)),
  );

function renderVerdict({ state, answer, gate, scope, reasons }: ReportDocument["verdict"]): Markup {
  return el(
    "section",
    { class: `verdict ${state}`, "aria-labelledby": "verdict" },
    el(
      "h2",
      { id: "verdict" },
      el("span", { "aria-hidden": "true" }, `${getMark(state).mark} `),
      withLineBreaks(answer),
    ),
    el("p", withLineBreaks(gate)),
    reasons.length > 0 &&
      el(
        "ul",
        reasons.map((reason) => el("li", withLineBreaks(reason))),
      ),
    el("p", { class: "note" }, withLineBreaks(scope)),
  );
}

function renderCard({ id, title, mood, blocks }: ReportSection): Markup {
  return el(
    "section",
    { class: `card ${mood ?? "neutral"}`, "aria-labelledby": id },
    el("h2", { id }, title),
    blocks.map(renderBlock),
  );
}

function renderFolded({ id, title, blocks }: ReportSection): Markup {
  const count = blocks.reduce((sum, block) => sum + countEntries(block), 0);
  return el(
    "details",
    el("summary", el("h2", { id }, title), count > 0 && el("span", { class: "note" }, ` ${count}`)),
    blocks.map(renderBlock),
  );
}

/** How many entries a reader who unfolds the section finds. */
function countEntries(block: ReportBlock): number {
  if (block.kind === "table") return block.groups.reduce((sum, { rows }) => sum + rows.length, 0);
  if (block.kind === "rooms") return block.rooms.length;
  if (block.kind === "quotes") return block.quotes.length;
  return block.kind === "heading" ? 1 : 0;
}
