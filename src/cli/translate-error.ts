/** Translates errors of other layers into CliErrors, with their exit codes and hints. */
import { describeInvalidInput } from "../client/client.ts";
import { ClientError, type FailedCall } from "../client/errors.ts";
import { type Lookup, listLookups } from "../client/not-found.ts";
import { HttpError, type UnknownFilterReason, unknownFilterReasons } from "../contract/errors.ts";
import { nounKind } from "../contract/nouns.ts";
import { ExportError, type ExportErrorCode } from "../export/errors.ts";
import { UnknownFieldError } from "../render/unknown-field.ts";
import { CliError, type CliErrorCode, cliErrors, fail } from "./errors.ts";
import { explainReadError } from "./file-errors.ts";
import { formatFlag } from "./suggested-commands.ts";

/** Any error as a CliError. An error that no layer declares is a bug. */
export function toCliError(error: unknown): CliError {
  return translateError(error) ?? fromSystemError(error);
}

/** The error of another layer as a CliError; null for a system error or a bug. */
export function translateError(error: unknown): CliError | null {
  if (error instanceof CliError) return error;
  if (error instanceof ClientError) return fromClientError(error);
  if (error instanceof ExportError) return fail(exportCodes[error.code], toErrorDetails(error));
  if (error instanceof UnknownFieldError) return fail("usage", toErrorDetails(error));
  if (error instanceof HttpError) {
    const { code, message, issues } = error;
    return fail(code, { message, issues, cause: error });
  }
  return null;
}

const exportCodes: Readonly<Record<ExportErrorCode, CliErrorCode>> = {
  path_blocked: "config",
  conflict: "config",
  locked: "locked",
  unsupported_value: "contract",
};

function toErrorDetails(error: Error & { readonly hint: string }) {
  return { message: error.message, hint: error.hint, cause: error };
}

function fromClientError(error: ClientError): CliError {
  const { code, status, issues, requestId } = error;
  const message =
    code === "invalid_input" && error.call !== null
      ? describeInvalidInput(issues, error.call.input, toFlagName)
      : error.message;
  const hint = error.hint ?? findCallHint(error);
  return fail(code === "invalid_input" ? "usage" : code, {
    message,
    status,
    issues,
    requestId,
    cause: error,
    ...(hint === null ? {} : { hint }),
  });
}

/** The query parameters that every command reads from the flag of the same name. */
const FLAG_PARAMETERS = new Set(["env", "build", "from", "to", "room", "limit", "offset"]);

const toFlagName = (parameter: string) => (FLAG_PARAMETERS.has(parameter) ? `--${parameter}` : parameter);

/** A hint that depends on the API call; null to use the default hint of the code. */
function findCallHint({ code, call, extra }: ClientError): string | null {
  if (code === "forbidden" && extra.reason === "wrong_environment")
    return "Use a key without this limit, or send the environment of the key. `playtest admin keys list` shows both.";
  if (call === null) return null;
  const unknown = unknownFilterReasons.find((reason) => reason === extra.reason);
  if (code === "not_found" && unknown !== undefined) return suggestFilter(unknown, call);
  if (code === "not_found") return suggestListCommands(listLookups(call));
  if (code === "unauthorized" && call.endpoint.keys.includes("ci"))
    return "Set PLAYTEST_CI_KEY to a key of `playtest admin keys create --kind ci`.";
  if (code === "unauthorized" && !call.endpoint.keys.includes("management"))
    return "Run `playtest login --ingest` to store an ingest key, or set PLAYTEST_INGEST_KEY.";
  return null;
}

/** Suggests where the values of a filter are listed. */
function suggestFilter(reason: UnknownFilterReason, { endpoint, input }: FailedCall): string {
  const game = typeof input.game === "string" ? formatFlag("--game", input.game) : "";
  const hints: Readonly<Record<UnknownFilterReason, string>> = {
    unknown_event: `Run \`playtest events${game}\` to see the game's events.`,
    unknown_room: `Run \`playtest builds dropoff latest${game} --wide\` to see the rooms of the latest build.`,
    unknown_tag:
      endpoint.name === "listInsights"
        ? `Run \`playtest insights list${game}\` to see tags.`
        : `Run \`playtest builds compare previous latest${game}\` to see tags, or look further back with --last.`,
    unknown_tester: `Run \`playtest testers list --wide${game}\` to see testers with their devices.`,
    unknown_environment: "Specify one of these with --env, or `--env all` for all environments combined.",
  };
  return hints[reason];
}

/** Suggests the commands that list the existing names. */
function suggestListCommands(lookups: readonly Lookup[]): string {
  const game = lookups.find(({ noun }) => noun === "game")?.value;
  const gameFlag = game === undefined ? "" : formatFlag("--game", game);
  const suggestions = new Set(
    lookups.flatMap(({ noun }) => {
      const { command, listed, inGame } = nounKind(noun);
      return command === null ? [] : `\`playtest ${command}${inGame ? gameFlag : ""}\` to see ${listed}`;
    }),
  );
  return suggestions.size === 0 ? cliErrors.not_found.hint : `Run ${[...suggestions].join(", or ")}.`;
}

/** Why a path cannot be accessed, or why a folder cannot be created although its parent exists. */
function explainAccessError(error: unknown): string {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === "EROFS") return "the disk is read-only";
  return code === "ENOENT" && syscall === "mkdir" ? "its file system rejects it" : explainReadError(error);
}

/** Translates an error of the operating system. Errors that do not concern the disk or the file system are bugs. */
function fromSystemError(error: unknown): CliError {
  const { code, path, message = String(error) } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return fail("config", {
      message: path === undefined ? "The disk is full" : `Cannot write ${path}: the disk is full`,
      hint: "Free up disk space and run the command again.",
      cause: error,
    });
  }
  if (code === "EFBIG") {
    return fail("config", {
      message: "A file has reached the maximum file size",
      hint: "Raise the limit (`ulimit -f`), or write smaller files.",
      cause: error,
    });
  }
  if (code === "EACCES" || code === "EROFS" || code === "ENOENT" || code === "EISDIR") {
    const { syscall } = error as NodeJS.ErrnoException;
    const what = syscall === "mkdir" ? `create the folder ${path}` : `access ${path}`;
    return fail("config", {
      message: path === undefined ? message : `Cannot ${what}: ${explainAccessError(error)}`,
      hint: "Check the path and its permissions.",
      cause: error,
    });
  }
  return fail("bug", { message, cause: error });
}
