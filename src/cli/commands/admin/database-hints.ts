/** Repeats --database in the hints of errors, so that the suggested commands use the same database. */
import { redactPassword } from "../../../server/db/open.ts";
import type { Command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { translateError } from "../../translate-error.ts";

/** The same command. Its errors repeat the --database flag in each suggested `playtest admin` command. */
export function withDatabaseInHints(command: Command): Command {
  return {
    ...command,
    async run(context, input) {
      try {
        return await command.run(context, input);
      } catch (error) {
        const { database } = input.flags as { readonly database?: string };
        const known = database === undefined ? null : translateError(error);
        if (database === undefined || !known?.hint.includes("`playtest admin ")) throw error;
        const { code, message, status, issues, requestId } = known;
        const hint = addDatabase(known.hint, database);
        throw fail(code, { message, hint, status, issues, requestId, cause: error });
      }
    },
  };
}

/** Adds --database to each command in the hint. The password of a Postgres URL is left out, because it is a secret. */
function addDatabase(hint: string, database: string): string {
  const value = redactPassword(database);
  const argument = /^[\w@%+=:,./-]+$/.test(value) ? value : JSON.stringify(value);
  return hint.replace(
    /`(playtest admin [^`]+)`/g,
    (_, suggested) => `\`${suggested} --database ${argument}\``,
  );
}
