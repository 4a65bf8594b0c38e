/** Flags with the values on and off. */
import { choice } from "../../flags.ts";

export function onOff(flag: string, describe: string) {
  return choice(`${flag} <on|off>`, describe, ["on", "off"]);
}

export const formatYesNo = (value: boolean) => (value ? "yes" : "no");

/** 1 for on, 0 for off, and the current value if the flag is not set. */
export function resolveOnOff(flag: "on" | "off" | undefined, current: number): number {
  if (flag === undefined) return current;
  return flag === "on" ? 1 : 0;
}
