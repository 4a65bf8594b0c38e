/** What turns rows into the bytes of a file, a part at a time. */
import type { ExportValue } from "../column.ts";

/** Takes bytes; resolves once more may come, so that memory stays bounded. */
export type ByteSink = (bytes: Uint8Array) => Promise<void>;

export interface Encoder {
  /** Rows as values in the order of the columns. */
  write(rows: readonly (readonly ExportValue[])[]): Promise<void>;
  /** Writes what is left, once after all rows. */
  finish(): Promise<void>;
}

/** How text is made harmless for where it goes; the command line has the rules. */
export interface TextSanitizer {
  /** CSV records, a line feed after each. */
  csv(records: readonly (readonly (string | number | null)[])[]): string;
  /** JSON text of any number of lines. */
  json(text: string): string;
}
