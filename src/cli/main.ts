/** The command line: arguments in, exit code out. Version and help are answered before anything heavy is loaded. */
import type { Io } from "./io.ts";
import { quickAnswer } from "./quick-answers.ts";

/** Runs a command line (without node and script) and answers its exit code. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const answer = await quickAnswer(argv);
  if (answer !== null) {
    await io.out.write(answer);
    return 0;
  }
  const { run } = await import("./run.ts");
  return await run(argv, io);
}
