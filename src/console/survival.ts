/** How far testers got, as a picture on wide screens and as a table with the same numbers on narrow ones. */
import { MAX_SURVIVAL_ROOMS, type Survival, shareOf, survivalChart } from "../charts/survival.ts";
import { type BuildDropoff, getBuildDropoff } from "../contract/dropoff.ts";
import { ROOM_STEP } from "../contract/funnels.ts";
import type { TableColumn } from "../render/columns.ts";
import { formatCount } from "../render/numbers.ts";
import { el, type Markup } from "../render/svg/element.ts";
import { formatReached, survivalSvg } from "../render/svg/survival.ts";
import { drawing } from "./details.ts";
import { section } from "./elements.ts";
import { isAcceptedBuild } from "./filter-form.ts";
import { funnelLink } from "./links.ts";
import type { PageContext } from "./page.ts";
import { dataTable } from "./table.ts";

interface SurvivalScope {
  readonly game: string;
  readonly env: string | undefined;
  readonly build: string;
  /** The build to compare with; null for none. */
  readonly before: string | null;
}

/** The section about how far the testers of a build got; null if there is nothing to show. */
export async function survivalSection(
  { build, before, ...scope }: SurvivalScope,
  width: number,
  call: PageContext["call"],
): Promise<Markup | null> {
  if (![build, before ?? build].every(isAcceptedBuild)) return null;
  const read = (version: string) => call(getBuildDropoff, { ...scope, version });
  const now = await read(build);
  return renderSurvival(now, before === null ? null : await read(before), scope, width);
}

/** The same for drop-offs that a page has read. */
export function renderSurvival(
  now: BuildDropoff,
  before: BuildDropoff | null,
  { game, env }: Pick<SurvivalScope, "game" | "env">,
  width: number,
): Markup | null {
  const chart = survivalChart(now, before);
  if (chart === null) return null;
  const [build = ""] = chart.builds;
  const drawn = { ...chart, rooms: chart.rooms.slice(0, MAX_SURVIVAL_ROOMS) };
  const others = chart.rooms.slice(MAX_SURVIVAL_ROOMS);
  const table = (rooms: Survival["rooms"], caption: string) =>
    dataTable(rooms, toColumns(chart), {
      caption,
      link: ({ room }) => funnelLink(game, `${ROOM_STEP}${room}`, { build, env }),
      bars: { "0": ({ reached: [counts] }) => (counts ? shareOf(counts) : null) },
    });
  return section(
    "survival",
    "How far testers got",
    drawing("Curve over the rooms", survivalSvg(drawn, width), "drawing wide-only"),
    others.length === 0
      ? null
      : el(
          "details",
          { class: "wide-only" },
          el("summary", `and ${formatCount(others.length, "more room")}, which fewer testers entered`),
          table(others, "Testers who entered the other rooms"),
        ),
    el("div", { class: "narrow-only" }, table(chart.rooms, "Testers who entered each room")),
  );
}

const toColumns = ({ builds }: Survival): TableColumn<Survival["rooms"][number]>[] => [
  { key: "room", header: "Room", value: ({ room }) => room },
  ...builds.map(
    (version, at): TableColumn<Survival["rooms"][number]> => ({
      ...{ key: String(at), header: `in ${version}`, align: "right" },
      value: ({ reached }) => {
        const counts = reached[at] ?? null;
        return counts === null ? null : formatReached(counts);
      },
    }),
  ),
];
