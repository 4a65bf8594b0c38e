/** The terminal view of a drop-off: the answer in words, the rooms, and what is left out. */
import type { BuildDropoff, DropoffRoom } from "../../../contract/dropoff.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { renderTable } from "../../../render/table.ts";
import { dropoffColumns } from "../../../render/tables/dropoff.ts";
import {
  describeDropoff,
  describeQuietRooms,
  listDropoffNotes,
} from "../../../render/tables/dropoff-text.ts";
import { cleanLine } from "../../../render/text.ts";

export function dropoffView(data: BuildDropoff, options: RenderOptions): string {
  const render = (sentence: string, style: "strong" | "muted") =>
    renderParagraph(cleanLine(sentence), "", options, style).join("\n");
  const parts = [
    render(describeDropoff(data), "strong"),
    "",
    ...renderRooms(data.rooms, options),
    ...listDropoffNotes(data).map((sentence) => render(sentence, "muted")),
  ];
  return `${parts.join("\n")}\n`;
}

/** The rooms in which testers quit. The others are only counted. */
function renderRooms(rooms: readonly DropoffRoom[], options: RenderOptions): string[] {
  const quit = options.wide ? rooms : rooms.filter(({ quit }) => quit > 0);
  return [
    ...(quit.length === 0 ? [] : [renderTable(quit, dropoffColumns, options).trimEnd()]),
    ...describeQuietRooms(rooms.length - quit.length, quit.length),
  ];
}
