/** The commit that the program was built from, as CI names it while it builds; empty if it did not. */
export const commit: string = process.env.GITHUB_SHA ?? "";
