/** Escape sequences that draw an image in terminals that support one of the protocols. */

export const imageProtocols = ["kitty", "iterm2", "sixel"] as const;
export type ImageProtocol = (typeof imageProtocols)[number];

/** Maximum bytes of base64 per sequence: kitty's limit, which is a multiple of 4. */
const MAX_CHUNK_BYTES = 4096;
const ESC = "\x1b";

/**
 * Encodes a PNG for kitty's graphics protocol (sw.kovidgoyal.net/kitty/graphics-protocol), `columns` wide, in chunks of
 * the size that the protocol allows. `q=2` suppresses the terminal's response, which would end up in the shell.
 */
export function kittyImage(png: Uint8Array, columns: number): string[] {
  const data = Buffer.from(png).toString("base64");
  const chunks = Math.max(1, Math.ceil(data.length / MAX_CHUNK_BYTES));
  return Array.from({ length: chunks }, (_, at) => {
    const more = `m=${at < chunks - 1 ? 1 : 0}`;
    const keys = at === 0 ? `a=T,f=100,q=2,c=${columns},${more}` : `q=2,${more}`;
    return `${ESC}_G${keys};${data.slice(at * MAX_CHUNK_BYTES, (at + 1) * MAX_CHUNK_BYTES)}${ESC}\\`;
  });
}

/** Encodes a PNG for iTerm2's protocol (iterm2.com/documentation-images.html), `columns` wide, with its aspect ratio. */
export function iterm2Image(png: Uint8Array, columns: number): string[] {
  const keys = `inline=1;size=${png.length};width=${columns};preserveAspectRatio=1`;
  return [`${ESC}]1337;File=${keys}:${Buffer.from(png).toString("base64")}\x07`];
}

/** Wraps a sequence so that tmux passes it to the outer terminal. Requires `allow-passthrough` (tmux(1)). */
export function throughTmux(sequence: string): string {
  return `${ESC}Ptmux;${sequence.replaceAll(ESC, ESC + ESC)}${ESC}\\`;
}
