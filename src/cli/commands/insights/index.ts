/** The commands about insights. */
import { insights } from "../../../contract/insights.ts";
import { createListCommand } from "../resource-commands.ts";
import { getInsightCommand } from "./get.ts";

export const commands = [createListCommand(insights), getInsightCommand];
