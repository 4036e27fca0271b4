// The opening book of the site: exact scores of the first plies, read once.

import { Board } from "../rules.js";
import { fileOf } from "./kernels.js";
import { canonicalKey } from "./positions.js";

/** The start of the file, see the module `claimeven.book.format`. */
const MAGIC = "\u0089C4BOOK\n";
const VERSION = 1;
const HEADER = 40;
const KEY_BYTES = 8;

export class Book {
  /** Read the bytes of a book; throw a sentence if they are not one, or corrupt. */
  static async of(buffer) {
    const bytes = new DataView(buffer);
    const text = String.fromCharCode(...new Uint8Array(buffer, 0, Math.min(MAGIC.length, buffer.byteLength)));
    if (text !== MAGIC || buffer.byteLength < HEADER || bytes.getUint16(8, true) !== VERSION) throw new Error("The opening book has another format.");
    const [columns, rows, connect, plies] = [10, 11, 12, 13].map((place) => bytes.getUint8(place));
    const [keyBytes, scoreBytes] = [16, 20].map((place) => bytes.getUint32(place, true));
    const start = HEADER + 4 * (plies + 1);
    if (buffer.byteLength !== start + keyBytes + scoreBytes) throw new Error("The opening book is incomplete.");
    const counts = Array.from({ length: plies + 1 }, (_, ply) => bytes.getUint32(HEADER + 4 * ply, true));
    const [planes, scores] = await Promise.all([
      inflated(buffer.slice(start, start + keyBytes)), inflated(buffer.slice(start + keyBytes)),
    ]);
    return new Book(new Board(columns, rows, connect), counts, keysOf(planes, counts.reduce((sum, count) => sum + count)), new Int8Array(scores.buffer));
  }

  constructor(board, counts, keys, scores) {
    this.board = board;
    this.plies = counts.length - 1;
    let start = 0;
    this.layers = counts.map((count) => {
      const layer = { keys: keys.subarray(start, start + count), scores: scores.subarray(start, start + count) };
      start += count;
      return layer;
    });
  }

  /** Return the score of an unfinished position for its side to move, or null. */
  lookUp(position) {
    if (position.ply > this.plies) return null;
    const { keys, scores } = this.layers[position.ply];
    const key = canonicalKey(position);
    let [low, high] = [0, keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (keys[middle] < key) low = middle + 1;
      else high = middle;
    }
    return keys[low] === key ? scores[low] : null;
  }
}

async function inflated(data) {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Return the keys of their differences, whose lowest bytes come first, then all second bytes ... */
function keysOf(planes, count) {
  const bytes = new Uint8Array(KEY_BYTES * count);
  for (let plane = 0; plane < KEY_BYTES; plane++) {
    for (let i = 0; i < count; i++) bytes[KEY_BYTES * i + plane] = planes[plane * count + i];
  }
  const keys = new BigUint64Array(bytes.buffer);
  for (let i = 1; i < count; i++) keys[i] += keys[i - 1];
  return keys;
}

let loading = null;

/** Return the book of a board, or null without one: then the solver works alone. */
export async function bookOf(board) {
  if (!board.equals(new Board())) return null;
  loading ??= fileOf(new URL("../../data/7x6.book", import.meta.url)).then((bytes) => Book.of(bytes)).catch(() => null);
  return loading;
}
