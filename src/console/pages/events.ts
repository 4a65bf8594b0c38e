/** How often each event of a game was sent. */
import { type EventAggregates, getEvents } from "../../contract/events.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import { el, fragment, type Markup } from "../../render/svg/element.ts";
import { describeEventCounts, eventShareColumns } from "../../render/tables/events.ts";
import { toFlags, toTimeFlags } from "../command-line.ts";
import { emptyNote } from "../details.ts";
import { filterForm } from "../filter-form.ts";
import { funnelLink } from "../links.ts";
import { definePage, type PageInput, readTime, sortParams, textParam, timeParam } from "../page.ts";
import { readPlayScope, resolveBuild } from "../play-scope.ts";
import { dataTable } from "../table.ts";

export const eventsPage = definePage({
  path: "/games/{game}/events",
  query: { build: textParam, env: textParam, from: timeParam, to: timeParam, ...sortParams },
  async show({ params: { game }, query, ...input }, { call, now }) {
    const scope = await readPlayScope(game, query.env, call);
    const env = scope.env ?? DEFAULT_ENV;
    const build = query.build === undefined ? undefined : await resolveBuild(query.build, scope, call);
    const range = { from: readTime(query.from, now), to: readTime(query.to, now) };
    const data = await call(getEvents, { game, build: build ?? undefined, env, ...range });
    return {
      title: "Events",
      scope: { fallback: scope.fallback },
      body: fragment(
        filterForm(input, [
          { name: "from", label: "From", placeholder: "7d or 2026-03-01" },
          { name: "to", label: "To", placeholder: "7d or 2026-03-01" },
        ]),
        renderCounts(data, { game, filter: { build, env: query.env } }, input),
      ),
      command: [
        ...["events", "--game", game, ...toFlags({ "--build": build ?? undefined, "--env": scope.env })],
        ...toTimeFlags({ "--from": query.from, "--to": query.to }),
      ],
      data,
    };
  },
});

interface Counted {
  readonly game: string;
  /** What links to other pages keep. */
  readonly filter: Readonly<Record<string, string | null | undefined>>;
}

function renderCounts(
  data: EventAggregates,
  { game, filter }: Counted,
  input: Pick<PageInput, "path" | "search">,
): Markup {
  if (data.top.length === 0) return emptyNote("No events match. Choose another build, environment or time.");
  const highest = data.top[0]?.[1] ?? 1;
  return fragment(
    el("p", el("strong", describeEventCounts(data, { tty: true }))),
    dataTable(data.top, eventShareColumns(data), {
      caption: "Events by name, most frequent first",
      link: ([name]) => funnelLink(game, name, filter),
      bars: { count: ([, count]) => count / highest },
      sortable: input,
    }),
  );
}
