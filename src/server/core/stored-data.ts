/** Decodes stored data. It may be damaged, because a disk or another program has changed it. */

/** Thrown for stored data that is damaged. The message names what is damaged, without its content. */
export class DamagedData extends Error {
  override readonly name = "DamagedData";
}

/** Returns the result of decoding stored data; null if the data is damaged. */
export async function skipDamaged<T>(decode: () => T | Promise<T>): Promise<T | null> {
  try {
    return await decode();
  } catch (error) {
    if (error instanceof DamagedData) return null;
    throw error;
  }
}

/** Parses JSON that the service has stored. Throws DamagedData with the name of the data if it is not valid. */
export function parseStoredJson(json: string, name: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new DamagedData(`${name} is not valid JSON`, { cause });
  }
}

/** The little-endian doubles of a binary column. Its length must be a multiple of 8. */
export function readDoubles(bytes: Uint8Array): Float64Array {
  if (bytes.byteOffset % 8 === 0)
    return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
  // Copy explicitly, because `Buffer.slice` returns a view with the same misaligned offset.
  return new Float64Array(new Uint8Array(bytes).buffer);
}

/** Whether both engines can store a text and find it again: Postgres refuses NUL and changes lone surrogates. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
