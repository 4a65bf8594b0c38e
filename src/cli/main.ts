/** The command line: arguments in, exit code out. Version and help are answered before anything heavy is loaded. */
import type { Io } from "./io.ts";
import { quickAnswer } from "./quick-answers.ts";

/** Runs a command line (without node and script) and answers its exit code. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const answer = await quickAnswer(argv);
  if (answer !== null) return await tell(answer, io);
  const { run } = await import("./run.ts");
  return await run(argv, io);
}

async function tell(answer: string, io: Io): Promise<number> {
  try {
    await io.out.write(answer);
    return 0;
  } catch (error) {
    const { reportError } = await import("./report-error.ts");
    return await reportError(error, io, { json: false, debug: false });
  }
}
