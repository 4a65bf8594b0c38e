/** The commands about insights. */
import { getInsightCommand } from "./get.ts";
import { listInsightsCommand } from "./list.ts";

export const commands = [listInsightsCommand, getInsightCommand];
