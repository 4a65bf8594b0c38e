/** The commands about testers. */
import { getTesterCommand } from "./get.ts";

export const commands = [getTesterCommand];
