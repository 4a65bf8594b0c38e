/** The `mcp` commands. */
import { installCommand } from "./install.ts";
import { mcpCommand } from "./serve.ts";

export const commands = [mcpCommand, installCommand];
