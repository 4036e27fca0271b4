"""A page as a browser sees it: elements with their attributes and texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

#: Elements that have no content and no end.
EMPTY = {"meta", "link", "input", "wbr", "br", "img", "hr"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    def text(self) -> str:
        """All text within, unchanged."""
        return "".join(c if isinstance(c, str) else c.text() for c in self.children)

    def words(self) -> str:
        """All text within, without what screens leave out, white space made one blank."""
        return " ".join(self._shown().split())

    def _shown(self) -> str:
        if self.attributes.get("class", "").split()[:1] in (["narrow"], ["badge"]):
            return ""
        return "".join(c if isinstance(c, str) else c._shown() for c in self.children)

    def all(self, tag: str | None = None, **attributes: str) -> list[Element]:
        """Elements within of a tag and with these attributes; `cls` is a word of the class."""
        cls = attributes.pop("cls", None)
        found = []
        for child in self.children:
            if isinstance(child, Element):
                if (
                    (tag is None or child.tag == tag)
                    and all(child.attributes.get(n) == v for n, v in attributes.items())
                    and (cls is None or cls in child.attributes.get("class", "").split())
                ):
                    found.append(child)
                found += child.all(tag, **attributes, **({"cls": cls} if cls else {}))
        return found

    def one(self, tag: str | None = None, **attributes: str) -> Element:
        found = self.all(tag, **attributes)
        assert len(found) == 1, f"{len(found)} elements {tag} {attributes}"
        return found[0]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute occurs twice in {tag}: {names}"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in EMPTY:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        closed = self.open.pop()
        assert closed.tag == tag, f"</{tag}> ends <{closed.tag}>"

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parsed(html: str) -> Element:
    """Read a page whose elements are all closed in order; fails on any other."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == [reader.root], f"not closed: {[e.tag for e in reader.open[1:]]}"
    return reader.root
