/** admin providers list: the account's models, without their keys. */
import { providersOf } from "../../../../server/analysis/provider/queries.ts";
import { command, tableOf } from "../../../command.ts";
import { adminFlags, administer } from "../work.ts";
import { providerColumns, viewOf } from "./columns.ts";

export const listProvidersCommand = command({
  path: "admin providers list",
  summary: "List the account's models; their keys are not shown",
  args: [],
  flags: adminFlags,
  examples: ["admin providers list"],
  async run(context, { flags }) {
    const rows = await administer(context, flags, ({ db, accountId }) => providersOf(db, accountId));
    const providers = rows.map(viewOf);
    return { data: { providers }, table: tableOf(providers, providerColumns, "No models are set.") };
  },
});
