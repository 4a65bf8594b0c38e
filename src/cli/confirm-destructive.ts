/** The confirmation of commands that delete or revoke something. */
import { cleanLine } from "../render/text.ts";
import { fail } from "./errors.ts";
import { toggle } from "./flags.ts";
import type { Io } from "./io.ts";
import { askConfirm } from "./prompts.ts";

/** The flag of destructive commands that skips the confirmation. */
export const yesFlag = toggle("--yes", "skip the confirmation (required without a terminal)");

/**
 * Asks whether to continue, unless `yes` is set. Throws `usage` without a terminal, and `interrupted` if the answer is no.
 * Do not call it in a transaction, because others would wait for the answer.
 */
export async function confirmDestructive(io: Io, question: string, yes: boolean): Promise<void> {
  if (yes || (await askConfirm(io, cleanLine(question), "Add --yes to continue without confirmation.")))
    return;
  throw fail("interrupted", {
    message: "Cancelled. Nothing was changed.",
    hint: "To continue, run the command again and answer y, or add --yes.",
  });
}
