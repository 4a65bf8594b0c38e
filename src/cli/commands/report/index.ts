/** The command about reports. */
import { reportCommand } from "./report.ts";

export const commands = [reportCommand];
