/** Encoders convert rows to the bytes of a file, one group of rows after the other. */
import type { ExportValue } from "../column.ts";

/** Writes bytes; resolves when it can accept more, so that memory stays bounded. */
export type ByteSink = (bytes: Uint8Array) => Promise<void>;

export interface Encoder {
  /** Encodes rows; each row has its values in the order of the columns. */
  write(rows: readonly (readonly ExportValue[])[]): Promise<void>;
  /** Writes the rest. Call it once after all rows. */
  finish(): Promise<void>;
}

/** Escapes text so that it is safe where it is displayed. The command line provides the rules. */
export interface TextSanitizer {
  /** Encodes text as a cell of a CSV file, with its quotes. */
  csvText(text: string): string;
  /** Encodes compact JSON as a cell of a CSV file, with its quotes. */
  csvJson(json: string): string;
  /** Escapes JSON text of any number of lines. */
  json(text: string): string;
}
