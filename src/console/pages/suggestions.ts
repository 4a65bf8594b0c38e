/** What to fix first in a build, with the sessions that show it. */
import { describeAuthor } from "../../charts/suggestion-author.ts";
import { readSuggestions } from "../../client/suggestions.ts";
import {
  type BuildSuggestions,
  getBuildSuggestions,
  NO_SUGGESTIONS,
  type Suggestion,
} from "../../contract/suggestions.ts";
import { el, fragment, type Markup } from "../../render/svg/element.ts";
import { toFlags } from "../command-line.ts";
import { emptyNote, noteText } from "../details.ts";
import { gameLink } from "../links.ts";
import { createPageClient, definePage, textParam } from "../page.ts";
import { readPlayScope, resolveBuild, showNoBuild, THE_LATEST } from "../play-scope.ts";
import { watchLinks } from "../watch.ts";

export const suggestionsPage = definePage({
  path: "/games/{game}/suggestions",
  query: { build: textParam, env: textParam },
  async show({ params: { game }, query }, context) {
    const { call } = context;
    const isAll = query.env === "all";
    const scope = await readPlayScope(game, isAll ? undefined : query.env, call);
    const { env, fallback } = scope;
    const page = { title: "What to fix first", scope: { anyBuild: THE_LATEST, fallback } };
    const build = await resolveBuild(query.build, scope, call);
    if (build === null) return showNoBuild(scope, page);
    const client = createPageClient({ getBuildSuggestions }, context);
    const data = await readSuggestions(client, { game, env, build });
    return {
      ...page,
      body: fragment(
        isAll &&
          el("p", { class: "missing" }, `Suggestions are for one environment: these are for ${fallback}.`),
        renderSuggestions(data, game),
      ),
      command: ["builds", "suggestions", build, "--game", game, ...toFlags({ "--env": env })],
      data,
    };
  },
});

function renderSuggestions(data: BuildSuggestions, game: string): Markup {
  if (data.suggestions.length === 0) return emptyNote(NO_SUGGESTIONS);
  return fragment(
    el(
      "ol",
      { class: "problems" },
      data.suggestions.map((suggestion) => renderSuggestion(suggestion, game)),
    ),
    noteText(describeAuthor(data)),
  );
}

function renderSuggestion({ title, rationale, sessions, evidence }: Suggestion, game: string): Markup {
  const [insight] = evidence;
  const heading = el("strong", title);
  return el(
    "li",
    insight === undefined ? heading : el("a", { href: gameLink(game, ["insights", insight]) }, heading),
    el("p", rationale),
    watchLinks(sessions ?? [], game),
  );
}
