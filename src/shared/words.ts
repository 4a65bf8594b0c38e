/** Words of sentences. */

/** A count with its noun, `1 tester` or `3 testers`. `many` is a plural that is not regular. */
export const formatCount = (count: number, noun: string, many = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : many}`;

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
