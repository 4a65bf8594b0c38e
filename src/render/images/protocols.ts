/** Escape sequences that show an image in terminals that can. */

export const imageProtocols = ["kitty", "iterm2", "sixel"] as const;
export type ImageProtocol = (typeof imageProtocols)[number];

/** Bytes of base64 in one sequence at most: kitty's limit, and a multiple of 4. */
const CHUNK = 4096;
const ESC = "\x1b";

/**
 * A PNG by kitty's graphics protocol (sw.kovidgoyal.net/kitty/graphics-protocol), `columns` wide, in chunks, so that no
 * sequence is longer than the protocol allows. `q=2` keeps the terminal from answering into the shell.
 */
export function kittyImage(png: Uint8Array, columns: number): string[] {
  const data = Buffer.from(png).toString("base64");
  const chunks = Math.max(1, Math.ceil(data.length / CHUNK));
  return Array.from({ length: chunks }, (_, at) => {
    const more = `m=${at < chunks - 1 ? 1 : 0}`;
    const keys = at === 0 ? `a=T,f=100,q=2,c=${columns},${more}` : `q=2,${more}`;
    return `${ESC}_G${keys};${data.slice(at * CHUNK, (at + 1) * CHUNK)}${ESC}\\`;
  });
}

/** A PNG by iTerm2's protocol (iterm2.com/documentation-images.html), `columns` wide, its height in proportion. */
export function iterm2Image(png: Uint8Array, columns: number): string[] {
  const keys = `inline=1;size=${png.length};width=${columns};preserveAspectRatio=1`;
  return [`${ESC}]1337;File=${keys}:${Buffer.from(png).toString("base64")}\x07`];
}

/** A sequence as tmux hands it on to the terminal it runs in, where `allow-passthrough` is on (tmux(1)). */
export function throughTmux(sequence: string): string {
  return `${ESC}Ptmux;${sequence.replaceAll(ESC, ESC + ESC)}${ESC}\\`;
}
