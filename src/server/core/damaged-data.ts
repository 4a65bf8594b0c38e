/** Stored data that cannot be decoded, because a disk or another program has changed it. */

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
