// Logarithms of whole numbers, correctly rounded. Math.log differs from the C library's function in
// one number of a hundred, and then a search could choose another move than in Python.

const BITS = 96n;
const SIZE = 4096;
/** Logarithms of 1 to SIZE - 1, each as the nearest number and the rest. */
const HIGH = new Float64Array(SIZE);
const LOW = new Float64Array(SIZE);
/** Multiples of the logarithm of 2. */
const POWERS_HIGH = new Float64Array(32);
const POWERS_LOW = new Float64Array(32);

/** Store a number of BITS binary places as the nearest number and the rest. */
function split(fixed, high, low, index) {
  const unit = 2 ** Number(BITS);
  high[index] = Number(fixed) / unit;
  low[index] = Number(fixed - BigInt(high[index] * unit)) / unit;
}

/** Fill in the tables: ln (n + 1) = ln n + 2 artanh (1 / (2 n + 1)). */
function fillTables() {
  let sum = 0n;
  for (let n = 2; n < SIZE; n++) {
    const inverse = BigInt(2 * n - 1);
    let power = (2n << BITS) / inverse;
    for (let odd = 1n; power; odd += 2n, power /= inverse * inverse) sum += power / odd;
    split(sum, HIGH, LOW, n);
    if (n === 2) for (let k = 0; k < 32; k++) split(BigInt(k) * sum, POWERS_HIGH, POWERS_LOW, k);
  }
}

/** Return the logarithm of a whole number from 1 to 2^31 - 1. */
export function log(count) {
  if (!HIGH[2]) fillTables();
  const power = Math.max(0, 20 - Math.clz32(count));
  const near = count >> power;
  // count = near * 2^power * (1 + s) / (1 - s)
  const rounded = near * 2 ** power;
  const s = (count - rounded) / (count + rounded);
  const high = HIGH[near] + POWERS_HIGH[power];
  const added = high - HIGH[near]; // and what the sum lost
  const lost = HIGH[near] - (high - added) + (POWERS_HIGH[power] - added);
  return high + (lost + LOW[near] + POWERS_LOW[power] + 2 * s * (1 + (s * s) / 3));
}
