/** The insights of a session with their evidence. */
import { sentimentTone } from "../../contract/insights.ts";
import { formatStrength } from "../../render/numbers.ts";
import { el, type Markup } from "../../render/svg/element.ts";
import { rankInsights } from "../../render/tables/session-details.ts";
import { describeNoInsights } from "../../render/tables/sessions.ts";
import { section } from "../elements.ts";
import { tagLink } from "../game-links.ts";
import { linkTo, linkWith } from "../links.ts";
import type { SessionView } from "./session-view.ts";

export function insightSection({ game, session, insights, page }: SessionView): Markup {
  if (insights.length === 0)
    return section(
      "insights",
      "Insights",
      el("div", { class: "empty" }, el("p", {}, describeNoInsights(session))),
    );
  return section(
    "insights",
    "Insights",
    rankInsights(insights).map(({ id, type, sentiment, title, evidence, confidence, tag }) => {
      const style = sentimentTone(sentiment);
      const around = linkWith(page, { around: id, event: undefined, cursor: undefined, offset: undefined });
      return el(
        "article",
        { class: "finding" },
        el("h3", {}, el("a", { href: linkTo(["games", game, "insights", id]) }, title ?? type)),
        el(
          "p",
          { class: "note" },
          el("span", { class: style === "muted" ? null : style }, `${type} (${sentiment})`),
          ` · strength ${formatStrength(confidence)}`,
          tag && [" · ", el("a", { href: tagLink(game, tag) }, el("code", {}, tag))],
        ),
        el("p", {}, evidence),
        type === "session-summary"
          ? null
          : el("p", { class: "note screen" }, el("a", { href: `${around}#events` }, "Events around it")),
      );
    }),
  );
}
