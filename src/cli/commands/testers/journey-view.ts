/** The terminal view of a journey: the tester, the length of the sessions, and a timeline of them. */
import { journeyChart } from "../../../charts/journey.ts";
import type { Journey, JourneyEntry } from "../../../contract/testers.ts";
import { renderSeries } from "../../../render/charts/series.ts";
import { renderDetails } from "../../../render/details.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { journeyDetails, listEntryTags } from "../../../render/tables/journey-text.ts";
import { cleanLine, displayWidth, pad } from "../../../render/text.ts";
import { formatDuration, formatTime } from "../../../render/time.ts";

export function journeyView(journey: Journey, options: RenderOptions): string {
  const { entries } = journey;
  const details = renderDetails(journeyDetails(journey), options);
  const times = entries.map(({ session }) => formatTime(session.recordedAt, options));
  const timeWidth = Math.max(0, ...times.map(displayWidth));
  const renderAt = (entry: JourneyEntry, index: number) =>
    renderEntry(
      entry,
      { time: pad(times[index] ?? "", timeWidth), isLast: index === entries.length - 1 },
      options,
    );
  // One session makes no chart, and screen readers read the durations in the timeline.
  const chart =
    entries.length < 2 || options.plain ? "" : `${renderSeries(journeyChart(journey), options)}\n`;
  return `${details}\n${chart}${entries.map(renderAt).join("")}`;
}

interface TimelinePosition {
  readonly time: string;
  readonly isLast: boolean;
}

function renderEntry(
  entry: JourneyEntry,
  { time, isLast }: TimelinePosition,
  options: RenderOptions,
): string {
  const paint = painter(options);
  const { session } = entry;
  const marker = options.plain ? "-" : "●";
  const rail = options.plain || isLast ? " " : "│";
  const { gameVersion } = session.metadata;
  const title = session.title.includes(gameVersion) ? session.title : `${session.title} (${gameVersion})`;
  const heading = `${marker} ${paint(time, "muted")}  ${paint(cleanLine(title), "strong")}`;
  const lines = [
    heading,
    `${rail}   ${formatDuration(session.duration)}`,
    ...listEntryTags(entry).flatMap(({ text, style }) =>
      renderParagraph(text, "    ", options).map((line) => `${rail}${paint(line.slice(1), style)}`),
    ),
    ...(session.status === "analyzed" ? [] : [`${rail}   ${paint(cleanLine(session.status), "muted")}`]),
  ];
  return `${lines.join("\n")}\n`;
}
