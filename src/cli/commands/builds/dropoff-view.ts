/** The terminal view of a drop-off: the answer in words, the rooms, and what is left out. */
import type { BuildDropoff, DropoffRoom } from "../../../contract/dropoff.ts";
import { formatPValue } from "../../../gate/reasons.ts";
import { formatCount } from "../../../render/numbers.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { dropoffColumns } from "../../../render/tables/dropoff.ts";
import { cleanLine } from "../../../render/text.ts";

/** Renders the view; it ends in a line feed. */
export function dropoffView(data: BuildDropoff, options: RenderOptions): string {
  const paint = painter(options);
  const render = (sentence: string, style: "strong" | "muted" | null) =>
    renderParagraph(cleanLine(sentence), "", options)
      .map((line) => (style === null ? line : paint(line, style)))
      .join("\n");
  const parts = [
    render(describeSessions(data), "strong"),
    render(describeRooms(data.rooms), null),
    "",
    ...renderRooms(data.rooms, options),
    ...listOmitted(data).map((sentence) => render(sentence, "muted")),
  ];
  return `${parts.join("\n")}\n`;
}

/** The rooms in which sessions ended by quitting. The others are only counted. */
function renderRooms(rooms: readonly DropoffRoom[], options: RenderOptions): string[] {
  const quit = options.wide ? rooms : rooms.filter(({ quit }) => quit > 0);
  const others = rooms.length - quit.length;
  return [
    ...(quit.length === 0 ? [] : [renderTable(quit, dropoffColumns, options).trimEnd()]),
    ...(others === 0
      ? []
      : [`Nobody quit in ${formatCount(others, quit.length === 0 ? "room" : "other room")}.`]),
  ];
}

function describeSessions({ game, version, environment, sessions, testers }: BuildDropoff): string {
  const where = environment === "all" ? "all environments" : environment;
  return `${game.name} ${version}, ${where}: ${formatCount(sessions.read, "ended session")} of ${formatCount(testers.read, "tester")}. ${testers.notBack} quit and have not come back so far.`;
}

/** Which rooms stand out, in words. */
export function describeRooms(rooms: readonly DropoffRoom[]): string {
  const standing = rooms.filter(({ standsOut }) => standsOut);
  if (standing.length > 0)
    return standing
      .map(
        ({ room, test }) =>
          `${room} stands out: ${test?.testersQuit} of ${test?.testersEntered} testers whose last session entered it quit there (p ${describePValue(test?.adjustedP ?? 1)}).`,
      )
      .join(" ");
  const tested = rooms.filter(({ test }) => test !== null && test !== undefined).length;
  if (tested === 0) return "No room can be tested: fewer than 5 testers entered each of them.";
  if (tested === 1)
    return "No room stands out: in the only tested room, testers do not quit more often than elsewhere by more than chance.";
  return `No room stands out: in none of the ${tested} tested rooms do testers quit more often than elsewhere by more than chance.`;
}

/** A p-value after `p`, such as `= 0.012` or `< 0.0001`. */
function describePValue(p: number): string {
  const value = formatPValue(p);
  return value.startsWith("<") ? value : `= ${value}`;
}

function listOmitted({ sessions }: BuildDropoff): string[] {
  const { open, withoutEvents, unreadable, skipped } = sessions;
  const omitted = [
    ...(open > 0 ? [`${open} open or not analyzed yet`] : []),
    ...(withoutEvents > 0 ? [`${withoutEvents} without stored events`] : []),
    ...(unreadable > 0 ? [`${unreadable} with damaged events`] : []),
    ...(skipped > 0 ? [`${skipped} older ones, because the build has too many events`] : []),
  ];
  return omitted.length === 0 ? [] : [`Left out: ${omitted.join("; ")}.`];
}
