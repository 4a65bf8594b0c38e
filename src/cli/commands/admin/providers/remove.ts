/** admin providers remove: removes a model provider of an account. */
import { deleteProvider, findProvider } from "../../../../server/analysis/provider/provider-queries.ts";
import { command } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { administerConfirmed, destructiveAdminFlags } from "../administer.ts";
import { providerKinds } from "./columns.ts";

export const removeProviderCommand = command({
  path: "admin providers remove",
  summary: "Remove a model provider of an account, and its key",
  args: [{ name: "<kind>", describe: "kind of the model provider: chat or embedding" }],
  flags: destructiveAdminFlags,
  examples: ["admin providers remove embedding --yes"],
  async run(context, { args, flags }) {
    const kind = providerKinds.find((candidate) => candidate === args[0]);
    if (!kind)
      throw fail("usage", {
        message: `${JSON.stringify(args[0])} is not one of ${providerKinds.join(", ")}`,
      });
    await administerConfirmed(
      context,
      flags,
      async ({ db, accountId }) => {
        if (await findProvider(db, accountId, kind)) return `Remove the ${kind} model provider and its key?`;
        throw fail("not_found", {
          message: `No ${kind} model provider configured`,
          hint: "Run `playtest admin providers list` to list the model providers.",
        });
      },
      ({ db, accountId, note }) => {
        note.detail = { kind };
        return deleteProvider(db, accountId, kind);
      },
    );
    return { data: { removed: kind }, view: () => `Removed the ${kind} model provider.\n` };
  },
});
