// The opening book of the site: exact scores of the first plies (`claimeven.book.format` has the layout).

import { Board } from "../rules.js";
import { fileOf } from "./kernels.js";
import { mirrorOf, wordsOf } from "./positions.js";

/** The start of a file: the magic bytes and the version. */
const START = "\u0089C4BOOK\n\u0001\u0000";
const [PLIES, KEYS_SIZE, COUNTS] = [13, 16, 40];
const KEY_BYTES = 8;

class Book {
  /** Read the bytes of a file; throws if they are not a whole book. */
  static async of(buffer) {
    const data = new DataView(buffer);
    if (String.fromCharCode(...new Uint8Array(buffer, 0, START.length)) !== START) throw new Error("It is not an opening book.");
    const book = new Book();
    book.plies = data.getUint8(PLIES);
    const first = COUNTS + 4 * (book.plies + 1);
    const keyBytes = data.getUint32(KEYS_SIZE, true);
    const planes = await inflated(buffer.slice(first, first + keyBytes));
    const scores = new Int8Array((await inflated(buffer.slice(first + keyBytes))).buffer);
    const keys = keysOf(planes);
    let end = 0;
    book.layers = Array.from({ length: book.plies + 1 }, (_, ply) => {
      const start = end;
      end += data.getUint32(COUNTS + 4 * ply, true);
      return { keys: keys.subarray(start, end), scores: scores.subarray(start, end) };
    });
    return book;
  }

  /** Return the score of an unfinished position for its side to move, or null. */
  lookUp(position) {
    if (position.ply > this.plies) return null;
    const { keys, scores } = this.layers[position.ply];
    const [own, mirrored] = [position, mirrorOf(position)].map(wordsOf).map(({ mine, mask }) => mine + mask);
    const key = own < mirrored ? own : mirrored;
    let [low, high] = [0, keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (keys[middle] < key) low = middle + 1;
      else high = middle;
    }
    return keys[low] === key ? scores[low] : null;
  }
}

/** Unpack data of zlib, which has a checksum. */
async function inflated(data) {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Return the keys of their differences: all lowest bytes, then all second bytes, and so on. */
function keysOf(planes) {
  const count = planes.length / KEY_BYTES;
  const bytes = new Uint8Array(planes.length);
  for (let i = 0; i < planes.length; i++) bytes[KEY_BYTES * (i % count) + Math.floor(i / count)] = planes[i];
  const keys = new BigUint64Array(bytes.buffer);
  for (let i = 1; i < count; i++) keys[i] += keys[i - 1];
  return keys;
}

/** Return the book of a board, or null without one: then the solver works alone. */
export async function bookOf(board) {
  return board.equals(new Board()) ? fileOf("../../data/7x6.book", Book.of).catch(() => null) : null;
}
