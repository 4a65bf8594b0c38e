/** Arrays of numbers in binary columns. */

/** The little-endian doubles of a binary column. Its length must be a multiple of 8. */
export function readDoubles(bytes: Uint8Array): Float64Array {
  if (bytes.byteOffset % 8 === 0)
    return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
  // Copy explicitly, because `Buffer.slice` returns a view with the same misaligned offset.
  return new Float64Array(new Uint8Array(bytes).buffer);
}
