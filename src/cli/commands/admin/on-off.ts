/** A switch that keeps its value where it is not named. */
import { choice } from "../../flags.ts";

export function onOff(flag: string, describe: string) {
  return choice(`${flag} <on|off>`, describe, ["on", "off"]);
}

/** 1 for on, 0 for off, and what it was before where nothing is said. */
export function resolveOnOff(given: "on" | "off" | undefined, before: number): number {
  if (given === undefined) return before;
  return given === "on" ? 1 : 0;
}
