/** The commands that run the service itself on this machine. */
import { execCommand } from "./exec.ts";
import { importCommand } from "./import.ts";
import { resetCommand } from "./reset.ts";
import { seedCommand } from "./seed.ts";
import { startCommand } from "./start.ts";
import { statusCommand } from "./status.ts";

export const commands = [startCommand, execCommand, importCommand, seedCommand, statusCommand, resetCommand];
