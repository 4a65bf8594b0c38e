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
  // To show the cursor again, ora would handle signals, which a long computation could then ignore.
  const spinner = ora({ ...(stream ? { stream } : {}), discardStdin: false, hideCursor: false });
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
