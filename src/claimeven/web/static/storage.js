// Values that this browser stores, as JSON. Storage may be off or full, and its content invalid.

/** Return the stored value of a key, or null. */
export function stored(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

/** Store a value; return whether the browser did. */
export function store(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
