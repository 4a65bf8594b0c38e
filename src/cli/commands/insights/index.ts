/** The commands about insights. */
import { listInsightsCommand } from "./list.ts";

export const commands = [listInsightsCommand];
