/** The `admin providers` commands. */
import { listProvidersCommand } from "../lists.ts";
import { removeProviderCommand } from "./remove.ts";
import { setProviderCommand } from "./set.ts";

export const providerCommands = [setProviderCommand, listProvidersCommand, removeProviderCommand];
