// Compiled kernels as a WebAssembly module: its arrays, and calls of its functions.
//
// A kernel takes an array as numbers: two unused pointers, the number of items, the bytes of an
// item, the address, the shape, and the strides in bytes. Words and integers of 64 bits are BigInt.

import { kept } from "../kept.js";
import { log } from "./logarithm.js";

const PAGE = 1 << 16;
/** Bytes before the arrays: the place of a result, and the place of an exception. */
const HEAD = 64;

/** An array in the memory of a module; `items` is its current view, row by row. */
class KernelArray {
  #items = null;

  constructor(memory, Type, address, shape) {
    Object.assign(this, { memory, Type, address, shape });
    this.length = shape.reduce((product, size) => product * size, 1);
    const bytes = Type.BYTES_PER_ELEMENT;
    const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, size) => product * size, bytes));
    this.parameters = [0, 0, BigInt(this.length), BigInt(bytes), address, ...[...shape, ...strides].map(BigInt)];
  }

  /** The typed array; a new one after the memory has grown. */
  get items() {
    if (this.#items?.buffer !== this.memory.buffer) {
      this.#items = new this.Type(this.memory.buffer, this.address, this.length);
    }
    return this.#items;
  }
}

const files = new Map(); // the contents of files by their addresses from this one

/** Return what `read` makes of the bytes of a file, once; throw a sentence if that fails. */
export const fileOf = (address, read) => kept(files, address, () => readFile(address, read));

async function readFile(address, read) {
  const name = address.split("/").at(-1);
  const response = await fetch(new URL(address, import.meta.url)).catch(({ message }) => ({ status: message }));
  if (!response.ok) throw new Error(`The file ${name} cannot be loaded (${response.status}). Are you offline?`);
  const content = await response.arrayBuffer().then(read).catch(() => null);
  if (content) return content;
  throw new Error(`The file ${name} is incomplete or changed: reload the page, or publish the site again. The board and its rules work without it.`);
}

/** Return the content of a JSON file of the site, which has a part with its name. */
export const dataOf = (name) => fileOf(`../../data/${name}.json`, (bytes) => {
  const content = JSON.parse(new TextDecoder().decode(bytes));
  return content[name] && content;
});

/** Return the compiled module of a file next to this one; throw a sentence if that fails. */
export const compiled = (name) => fileOf(name, (bytes) => WebAssembly.compile(bytes));

/** The kernels of a module, with their own memory. */
export class Kernels {
  /** Load the kernels of a file next to this one; throw a sentence if that fails. */
  static async load(name) {
    const module = await compiled(name);
    const memory = new WebAssembly.Memory({ initial: 16, maximum: 1 << 14 });
    return new Kernels(memory, (await WebAssembly.instantiate(module, { env: { memory, log } })).exports);
  }

  constructor(memory, functions) {
    this.memory = memory;
    this.functions = functions;
    this.first = functions.__heap_base.value;
    this.end = this.first + HEAD;
  }

  /** Return a new array of zeros, such as `array(BigUint64Array, 3, 64)`. */
  array(Type, ...shape) {
    const address = Math.ceil(this.end / 16) * 16;
    const array = new KernelArray(this.memory, Type, address, shape);
    this.end = address + array.length * Type.BYTES_PER_ELEMENT;
    const missing = this.end - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
    return array;
  }

  /** Return a new array with the given items. */
  copy(Type, items) {
    const array = this.array(Type, items.length);
    array.items.set(items);
    return array;
  }

  /** Call a kernel with arrays, BigInt for integers, numbers for floats; return its result as BigInt. */
  call(name, ...given) {
    new BigInt64Array(this.memory.buffer, this.first, 1)[0] = 0n;
    const parameters = given.flatMap((each) => (each instanceof KernelArray ? each.parameters : [each]));
    const status = this.functions[name](this.first, this.first + 8, ...parameters);
    if (status) throw new Error(`the kernel ${name} failed with status ${status}`);
    return new BigInt64Array(this.memory.buffer, this.first, 1)[0];
  }
}
