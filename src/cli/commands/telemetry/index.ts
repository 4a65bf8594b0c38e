/** The commands about the telemetry that a game sends. */
import { expectCommand } from "./expect.ts";
import { lintCommand } from "./lint.ts";
import { tailCommand } from "./tail.ts";

export const commands = [tailCommand, lintCommand, expectCommand];
