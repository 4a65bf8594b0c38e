/**
 * Stands in for when-exit, which a dependency of conf uses to remove temporary files when a signal comes: it would end
 * the process at once, before the program has finished what it acknowledged.
 */
export default () => () => {};
