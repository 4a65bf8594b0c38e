/** A spinner with a line of text, for terminals. */
import type { Io } from "./io.ts";

export interface Progress {
  show(line: string): void;
  /** Removes the spinner from the terminal. */
  clear(): void;
}

/** Starts a spinner on stderr. */
export async function startProgress(io: Io): Promise<Progress> {
  const { default: ora } = await import("ora");
  const { stream } = io.err;
  const spinner = ora({ ...(stream ? { stream } : {}), discardStdin: false });
  return {
    show(line) {
      spinner.text = line;
      if (!spinner.isSpinning) spinner.start();
    },
    clear() {
      spinner.stop();
    },
  };
}
