/** What an export says while it works: lines for people, or JSON for whoever collects logs. */
import { escapeJson } from "../../../render/text.ts";
import type { Context } from "../../context.ts";
import { say } from "../../io.ts";

export const logFormats = ["text", "json"] as const;
export type LogFormat = (typeof logFormats)[number];

export interface Log {
  /** Says that something happened: `text` to people, the event with its facts as a line of JSON. */
  tell(event: string, facts: Readonly<Record<string, unknown>>, text: string): Promise<void>;
  /** Shows what it is at, at a terminal alone. */
  show(text: string): Promise<void>;
}

/** A log on stderr. */
export function logOf(context: Context, format: LogFormat): Log {
  const { io } = context;
  if (format === "text") {
    return { tell: (_event, _facts, text) => context.notify(text), show: (text) => context.progress(text) };
  }
  return {
    async tell(event, facts) {
      const time = new Date(io.now()).toISOString();
      await say(io, `${escapeJson(JSON.stringify({ time, event, ...facts }))}\n`);
    },
    show: async () => {},
  };
}
