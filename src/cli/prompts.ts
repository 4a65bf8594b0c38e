/** Prompts at a terminal. Keys can also come from the environment or standard input. */
import { cleanLine } from "../render/text.ts";
import type { StoredKeyKind } from "./config-file.ts";
import { fail } from "./errors.ts";
import { toggle } from "./flags.ts";
import type { Io } from "./io.ts";

const variables = { management: "PLAYTEST_KEY", ingest: "PLAYTEST_INGEST_KEY" } as const;

/** Reads a key from the environment, standard input or a masked prompt. Throws `usage` if it is empty or invalid. */
export async function askKey(io: Io, kind: StoredKeyKind): Promise<string> {
  const given = io.env[variables[kind]] || (io.stdin.isTTY ? await promptKey(io, kind) : await readAll(io));
  const key = given.trim();
  if (key === "") {
    throw fail("usage", {
      message: "No key provided",
      hint: `Type it at the prompt, pipe it in, or set ${variables[kind]}.`,
    });
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw fail("usage", {
      message: "The key contains spaces or invalid characters",
      hint: "Copy the key again.",
    });
  }
  return key;
}

async function promptKey(io: Io, kind: StoredKeyKind): Promise<string> {
  const message = kind === "ingest" ? "Ingest key:" : "Management key:";
  return await prompt(
    io,
    `the ${kind} key`,
    `Pipe the key in, or set ${variables[kind]}.`,
    async (streams) => {
      const { password } = await import("@inquirer/prompts");
      return await password({ message, mask: "*", toggleMask: false }, streams);
    },
  );
}

/** Prompts for the base URL, with the current one as the default. */
export async function askBaseUrl(io: Io, current: string | undefined): Promise<string> {
  const message = "Base URL of the service:";
  return await prompt(io, "the URL of the service", "Set it with --base-url.", async (streams) => {
    const { input } = await import("@inquirer/prompts");
    const fallback = current === undefined ? {} : { default: current };
    return await input({ message, required: true, ...fallback }, streams);
  });
}

/** Asks a yes-no question (default: no). Throws `usage` with the hint if there is no terminal. */
export async function askConfirm(io: Io, message: string, hint: string): Promise<boolean> {
  return await prompt(io, "confirmation", hint, async (streams) => {
    const { confirm } = await import("@inquirer/prompts");
    return await confirm({ message, default: false }, streams);
  });
}

interface PromptStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Whether there is a terminal for prompts: keys are read from stdin, and the prompt is shown on stderr. */
export const canPrompt = ({ stdin, err }: Io): boolean =>
  stdin.stream !== undefined && err.stream !== undefined;

/** Prompts for `subject` on stderr, because stdout carries results. Throws `usage` with the hint if there is no terminal. */
async function prompt<T>(
  io: Io,
  subject: string,
  hint: string,
  ask: (streams: PromptStreams) => Promise<T>,
): Promise<T> {
  const { stream: input } = io.stdin;
  const { stream: output } = io.err;
  if (!input || !output)
    throw fail("usage", { message: `Cannot ask for ${subject} without a terminal`, hint });
  try {
    return await io.interruptible(() => ask({ input, output, signal: io.signal }));
  } catch (error) {
    const { name } = error as Error;
    if (name === "ExitPromptError" || name === "AbortPromptError")
      throw fail("interrupted", { cause: error });
    throw error;
  }
}

async function readAll(io: Io): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.stdin.read()) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** The flag of destructive commands that skips the confirmation. */
export const yesFlag = toggle("--yes", "skip the confirmation (required without a terminal)");

/**
 * Asks whether to continue, unless `yes` is set. Throws `usage` without a terminal, and `interrupted` if the answer is no.
 * Do not call it in a transaction, because others would wait for the answer.
 */
export async function confirmDestructive(io: Io, question: string, yes: boolean): Promise<void> {
  if (yes || (await askConfirm(io, cleanLine(question), "Add --yes to continue without confirmation.")))
    return;
  throw fail("interrupted", {
    message: "Cancelled. Nothing was changed.",
    hint: "To continue, run the command again and answer y, or add --yes.",
  });
}
