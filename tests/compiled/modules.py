"""The WebAssembly modules of the page in a browser, called like the kernels of Python."""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parents[2] / "src" / "claimeven" / "web" / "static" / "local"
ADDRESS = "http://modules.test/"

#: Arrays larger than this are zeros at first, and stay in the module, if only the time counts.
LARGE = 1 << 22
#: Calls kernels with arrays in Base64; returns results, the arrays then, and milliseconds.
_CALLS = """async ([name, calls]) => {
    const { Kernels } = await import("/local/kernels.js");
    const kernels = ((window.loaded ??= {})[name] ??= await Kernels.load(name));
    const types = { u8: BigUint64Array, i8: BigInt64Array, i4: Int32Array, f8: Float64Array };
    return calls.map(([kernel, given]) => {
        const { end } = kernels;
        const sent = given.filter(({ type }) => type);
        const values = given.map(({ int, float, type, shape, data }) => {
            if (int !== undefined) return BigInt(int);
            if (float !== undefined) return float;
            const array = kernels.array(types[type], ...shape);
            array.items.fill(type.endsWith("8") && type !== "f8" ? 0n : 0);
            if (data === null) return array;
            const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
            new Uint8Array(kernels.memory.buffer, array.address).set(bytes);
            return array;
        });
        const start = performance.now();
        const result = kernels.call(kernel, ...values);
        const milliseconds = performance.now() - start;
        const arrays = values.filter((each) => each.items).map(({ items }, index) => {
            if (sent[index].data === null) return null;
            const bytes = new Uint8Array(items.buffer, items.byteOffset, items.byteLength);
            let text = "";
            for (let i = 0; i < bytes.length; i += 8192) {
                text += String.fromCharCode(...bytes.subarray(i, i + 8192));
            }
            return btoa(text);
        });
        kernels.end = end;
        return [`${result}`, arrays, milliseconds];
    });
}"""


def open_page(browser: Any) -> Any:
    """Open a page with the files of the modules."""
    page = browser.new_page()
    root = FOLDER.parent

    def answer(route: Any) -> None:
        path = root / route.request.url[len(ADDRESS) :]
        # Without an answer a test would wait for ever.
        route.fulfill(path=path) if path.is_file() else route.fulfill(status=404)

    page.route("**/*", answer)
    page.goto(f"{ADDRESS}local/slots.js")
    return page


class Module:
    """A module; `page` comes from `open_page`."""

    def __init__(self, page: Any, name: str) -> None:
        self.page, self.name = page, name

    def call(self, kernel: str, *arguments: Any) -> int:
        """Call a kernel, which changes the arrays among the arguments."""
        return self._call_all(kernel, [arguments])[0][0]

    def timed(self, kernel: str, *arguments: Any) -> tuple[int, float]:
        """Call a kernel and return its result and its seconds. It does not change large arrays."""
        ((result, seconds),) = self._call_all(kernel, [arguments], LARGE)
        return result, seconds

    def _call_all(
        self, kernel: str, calls: Sequence[Sequence[Any]], large: float = math.inf
    ) -> list[tuple[int, float]]:
        """Call a kernel with the arguments of each call; return the results and seconds."""
        flat = [list(_flat(arguments)) for arguments in calls]
        given = [[kernel, [_json(each, large) for each in arguments]] for arguments in flat]
        found = self.page.evaluate(_CALLS, [self.name, given])
        for arguments, (_, texts, _) in zip(flat, found, strict=True):
            arrays = [each for each in arguments if isinstance(each, np.ndarray)]
            for array, text in zip(arrays, texts, strict=True):
                if text is None:
                    continue
                changed = np.frombuffer(b64decode(text), array.dtype).reshape(array.shape)
                if not np.array_equal(array, changed):  # else it may be read-only
                    array[...] = changed
        return [(int(result), milliseconds / 1000) for result, _, milliseconds in found]

    def agrees(self, kernel: Any, calls: Sequence[Sequence[Any]]) -> list[Any]:
        """Call a kernel here and in the module: its results, and all arrays then, must be equal."""
        copies = deepcopy(calls)
        here = [kernel(*arguments) for arguments in calls]
        there = [result for result, _ in self._call_all(kernel.__name__, copies)]
        assert [int(result or 0) for result in here] == there
        for one, other in zip(_flat(calls), _flat(copies), strict=True):
            assert np.array_equal(one, other)
        return here


def _flat(arguments: Any) -> Iterator[Any]:
    for each in arguments:
        if isinstance(each, tuple | list):
            yield from _flat(each)
        else:
            yield each


def _json(value: Any, large: float) -> dict[str, Any]:
    if isinstance(value, np.ndarray):
        data = None
        if value.nbytes < large:
            data = b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {"type": value.dtype.str[1:], "shape": value.shape, "data": data}
    return {"float": value} if isinstance(value, float) else {"int": str(value)}
