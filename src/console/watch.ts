/** Links to the moments of sessions that show something. */
import type { SessionMoment } from "../contract/verdict.ts";
import { el, type Markup } from "../render/svg/element.ts";
import { formatMoment } from "../render/tables/event-text.ts";
import { linkToMoment } from "../shared/page-links.ts";

/** A line with a link to each moment; null without any. */
export function watchLinks(moments: readonly SessionMoment[], game: string): Markup | null {
  if (moments.length === 0) return null;
  return el(
    "p",
    { class: "note watch" },
    moments.map((moment, at) => [at > 0 && " · ", watchLink(moment, at, game)]),
  );
}

/** A link to the events around the moment, or to the timeline of a session that is not about a moment. */
function watchLink(moment: SessionMoment, at: number, game: string): Markup {
  const { sessionId, activeSec } = moment;
  const text = activeSec === null ? `Watch session ${at + 1}` : `Watch at ${formatMoment(activeSec)}`;
  return el("a", { href: linkToMoment(game, moment), title: sessionId }, text);
}
