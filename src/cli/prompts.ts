/** Asks a person, at a terminal alone; keys are read from the environment or standard input where there is none. */

import type { ApiKeyKind } from "../contract/define.ts";
import { fail } from "./errors.ts";
import type { Io } from "./io.ts";

const variables = { management: "PLAYTEST_KEY", ingest: "PLAYTEST_INGEST_KEY" } as const;

/** A key from the environment, standard input or a masked prompt. Throws `usage` for an empty one. */
export async function askKey(io: Io, kind: ApiKeyKind): Promise<string> {
  const given = io.env[variables[kind]] || (io.stdin.isTTY ? await promptKey(io, kind) : await readAll(io));
  const key = given.trim();
  if (key === "") {
    throw fail("usage", {
      message: "No key was given",
      hint: `Type it at the prompt, pipe it in, or set ${variables[kind]}.`,
    });
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw fail("usage", {
      message: "The key holds spaces or characters that no key has",
      hint: "Copy it again.",
    });
  }
  return key;
}

async function promptKey(io: Io, kind: ApiKeyKind): Promise<string> {
  const message = kind === "ingest" ? "Ingest key:" : "Management key:";
  return await prompt(io, message, `Pipe the key in, or set ${variables[kind]}.`, async (streams) => {
    const { password } = await import("@inquirer/prompts");
    return await password({ message, mask: "*", toggleMask: false }, streams);
  });
}

/** The base URL, asked for. */
export async function askBaseUrl(io: Io): Promise<string> {
  const message = "Base URL of the service:";
  return await prompt(io, message, "Give it with --base-url.", async (streams) => {
    const { input } = await import("@inquirer/prompts");
    return await input({ message, required: true }, streams);
  });
}

/** Yes or no. Throws `usage` without a terminal. */
export async function askConfirm(io: Io, message: string, otherwise: string): Promise<boolean> {
  return await prompt(io, message, otherwise, async (streams) => {
    const { confirm } = await import("@inquirer/prompts");
    return await confirm({ message, default: false }, streams);
  });
}

interface PromptStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Asks on stderr, for stdout carries answers. Throws `usage`, telling what to do otherwise, where nobody would see it. */
async function prompt<T>(
  io: Io,
  message: string,
  otherwise: string,
  ask: (streams: PromptStreams) => Promise<T>,
): Promise<T> {
  const { stream: input } = io.stdin;
  const { stream: output } = io.err;
  if (!input || !output)
    throw fail("usage", { message: `${message} There is no terminal to ask at`, hint: otherwise });
  try {
    return await ask({ input, output, signal: io.signal });
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
