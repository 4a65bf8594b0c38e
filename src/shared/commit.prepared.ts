/** The commit that the program was built from; empty if the build did not name one. */
export const commit: string = process.env.GITHUB_SHA ?? "";
