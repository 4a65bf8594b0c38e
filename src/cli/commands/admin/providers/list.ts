/** admin providers list: lists the model providers of an account, without their keys. */
import { findProviders } from "../../../../server/analysis/provider/queries.ts";
import { command, createTable } from "../../../command.ts";
import { adminFlags, administer } from "../administer.ts";
import { providerColumns, toProviderView } from "./columns.ts";

export const listProvidersCommand = command({
  path: "admin providers list",
  summary: "List an account's model providers, without their keys",
  args: [],
  flags: adminFlags,
  examples: ["admin providers list"],
  async run(context, { flags }) {
    const rows = await administer(context, flags, ({ db, accountId }) => findProviders(db, accountId));
    const providers = rows.map(toProviderView);
    return {
      data: { providers },
      table: createTable(providers, providerColumns, "No model providers configured."),
    };
  },
});
