/** The commands about crashes. */
import { type CrashPage, crashes } from "../../../contract/crashes.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { renderTable } from "../../../render/table.ts";
import { toColumns } from "../../../render/tables/columns.ts";
import { describeCrashScope } from "../../../render/tables/crashes.ts";
import { createTable, type Result } from "../../command.ts";
import { createListCommand, type Query } from "../resource-commands.ts";

export const commands = [createListCommand(crashes, { complete: addScope })];

/** Adds what the groups cover. */
function addScope(result: Result, _first: unknown, { game }: Query): Result {
  if (result.pages) return result;
  const data = result.data as CrashPage;
  const columns = toColumns(crashes);
  const scope = describeCrashScope(data);
  return {
    ...result,
    table: createTable(data.items, columns, scope),
    view: (options) =>
      data.items.length === 0
        ? ""
        : `${renderParagraph(`${game}: ${scope}`, "", options).join("\n")}\n\n${renderTable(data.items, columns, options)}`,
  };
}
