/** The `admin handles` commands. */
import { claimTokenCommand } from "./claim-token.ts";
import { createHandleCommand } from "./create.ts";

export const handleCommands = [createHandleCommand, claimTokenCommand];
