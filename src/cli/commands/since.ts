/** The flag `--since`: a shorter name of `--from` for ages such as 7d. */
import { fail } from "../errors.ts";
import { time } from "../flags.ts";

export const sinceFlag = (describe: string) =>
  time("--since <time>", `${describe}, such as 7d (same as --from)`);

interface SinceFlags {
  /** Unix ms. */
  readonly from: number | undefined;
  readonly since: number | undefined;
}

/** The lower bound in unix ms. Throws `usage` if both flags are given. */
export function readSince({ from, since }: SinceFlags): number | undefined {
  if (from !== undefined && since !== undefined)
    throw fail("usage", { message: "--since cannot be used with --from", hint: "Omit one of them." });
  return since ?? from;
}
