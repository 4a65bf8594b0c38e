/** Translates errors of the service into CliErrors, for commands that run the service themselves. */
import { ServiceError, type ServiceErrorCode } from "../../../server/core/errors.ts";
import type { Command } from "../../command.ts";
import { type CliErrorCode, fail } from "../../errors.ts";

const codes: Readonly<Record<ServiceErrorCode, CliErrorCode>> = {
  invalid: "usage",
  not_found: "not_found",
  conflict: "conflict",
  in_use: "locked",
  unusable: "config",
};

/** Runs the work. Throws its errors, with a ServiceError turned into a CliError. */
export async function withServiceErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, hint } = error;
    throw fail(codes[code], { message, cause: error, ...(hint === null ? {} : { hint }) });
  }
}

/** The same command, with errors of the service turned into CliErrors. */
export function translatingServiceErrors(command: Command): Command {
  return { ...command, run: (context, input) => withServiceErrors(() => command.run(context, input)) };
}
