// Results that are kept: promises by keys, in a map.

/** Return the promise of a key, made if it is missing. A failed one is removed, also the oldest of more than `most`. */
export function kept(map, key, make, most = Infinity) {
  const known = map.get(key) ?? make();
  map.delete(key);
  map.set(key, known); // the last one was used last
  known.catch(() => map.get(key) === known && map.delete(key)); // the next request tries again
  if (map.size > most) map.delete(map.keys().next().value);
  return known;
}
