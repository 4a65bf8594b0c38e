/** Turns the errors of the service into those of the command line, for the commands that run it themselves. */
import { ServiceError, type ServiceErrorCode } from "../../../server/core/errors.ts";
import type { Command } from "../../command.ts";
import { type CliErrorCode, fail } from "../../errors.ts";

const codes: Readonly<Record<ServiceErrorCode, CliErrorCode>> = {
  invalid: "usage",
  not_found: "not_found",
  conflict: "conflict",
  unusable: "config",
};

/** Runs the work. Throws its error, that of the service as a CliError. */
export async function withServiceErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, hint } = error;
    throw fail(codes[code], { message, cause: error, ...(hint === null ? {} : { hint }) });
  }
}

/** The command with the errors of the service turned into those of the command line. */
export function translatingServiceErrors(command: Command): Command {
  return { ...command, run: (context, given) => withServiceErrors(() => command.run(context, given)) };
}
