/** The command about funnels. */
import { funnelCommand } from "./funnel.ts";

export const commands = [funnelCommand];
