/** The `admin ... list` commands that show a whole list of the local database. */
import type { TableColumn } from "../../../render/columns.ts";
import { type Command, command } from "../../command.ts";
import { createListTable } from "../lists.ts";
import { databaseFlags, existingDatabaseFlag } from "../server/local.ts";
import { type AdminContext, adminFlags, administer } from "./administer.ts";

interface AdminList<Row> extends Pick<Command, "path" | "summary" | "examples"> {
  readonly details?: string;
  /** The field of the JSON output that contains the rows. */
  readonly field: string;
  readonly columns: readonly TableColumn<Row>[];
  /** The columns at the terminal, if they differ. */
  readonly tableColumns?: readonly TableColumn<Row>[];
  /** Printed on stderr without rows. */
  readonly empty: string;
  readonly allAccounts?: true;
  read(admin: AdminContext): Promise<readonly Row[]>;
}

export function createAdminListCommand<Row>(list: AdminList<Row>): Command {
  const { field, columns, tableColumns = columns, empty, allAccounts, read, ...texts } = list;
  return command({
    ...texts,
    flags: allAccounts ? { ...databaseFlags, database: existingDatabaseFlag } : adminFlags,
    async run(context, { flags }) {
      const rows = await administer(context, flags, read);
      const shown = context.settings.format.value === "table" ? tableColumns : columns;
      return { data: { [field]: rows }, table: await createListTable(context, rows, shown, empty) };
    },
  });
}
