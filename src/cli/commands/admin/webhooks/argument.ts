/** The argument of commands that work on one webhook. */
import type { CommandArgument } from "../../../flags.ts";

export const webhookArgument: CommandArgument = { name: "<id>", describe: "webhook id" };
