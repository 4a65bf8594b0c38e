/** How the CPU time of work grows with its size: a ratio, which the speed of the machine does not change. */

const ATTEMPTS = 3;

/**
 * Returns how many times the CPU time of `work(size)` the work of `4 * size` takes: about 4 if it is linear,
 * about 16 if it is quadratic. Other processes disturb single measurements, so the least of several counts.
 */
export function measureGrowth(size: number, work: (size: number) => void): number {
  work(size);
  const growths = Array.from({ length: ATTEMPTS }, () => {
    const small = measureCpu(() => work(size));
    return measureCpu(() => work(4 * size)) / small;
  });
  return Math.min(...growths);
}

/** A growth below this is that of work in linear time. */
export const LINEAR = 9;

function measureCpu(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
