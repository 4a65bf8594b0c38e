/** The names of the global flags, which are needed before any command is loaded. */
import { globalFlags } from "./global-flags.ts";

const flags = [...Object.values(globalFlags).map((flag) => flag.flags), "-h, --help", "-V, --version"];

/** Whether each global flag takes a value, by each of its names, such as `-g` and `--game`. */
export const takesValue: Readonly<Record<string, boolean>> = Object.fromEntries(
  flags.flatMap((text) => {
    const names = text.split(/[ ,]+/).filter((part) => part.startsWith("-"));
    return names.map((name) => [name, text.includes("<")]);
  }),
);
