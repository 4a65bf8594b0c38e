/** The entry point of the command line. Version and help are printed before anything large is loaded. */
import type { Io } from "./io.ts";
import { quickAnswer } from "./quick-answers.ts";

/** Runs a command line (without node and script). Resolves with its exit code. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  if (argv[0] === "__complete") {
    const { complete } = await import("./completion/answer.ts");
    return await complete(argv.slice(1), io);
  }
  const answer = (await findWelcome(argv, io)) ?? (await quickAnswer(argv));
  if (answer !== null) return await writeAnswer(answer, io);
  const { run } = await import("./run.ts");
  return await run(argv, io);
}

/** The introduction, for a person at a terminal who typed no arguments and has no key; otherwise null. */
async function findWelcome(argv: readonly string[], io: Io): Promise<string | null> {
  if (argv.length > 0 || !io.out.isTTY) return null;
  const { hasKey, WELCOME } = await import("./welcome.ts");
  return hasKey(io) ? null : WELCOME;
}

async function writeAnswer(answer: string, io: Io): Promise<number> {
  try {
    await io.out.write(answer);
    return 0;
  } catch (error) {
    const { reportError } = await import("./report-error.ts");
    return await reportError(error, io, { json: false, debug: false, command: null, selection: {} });
  }
}
