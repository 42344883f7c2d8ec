"""No module imports another that imports it, by whatever way: not inside functions, and not for
type checking alone."""

from __future__ import annotations

import grimp


def circles(graph: grimp.ImportGraph) -> list[list[str]]:
    """The modules that import each other in circles, one list for each knot (Tarjan's strongly
    connected parts)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    knots = []

    def visit(module: str) -> None:
        order[module] = lowest[module] = len(order)
        path.append(module)
        for imported in graph.find_modules_directly_imported_by(module):
            if imported not in order:
                visit(imported)
                lowest[module] = min(lowest[module], lowest[imported])
            elif imported in path:
                lowest[module] = min(lowest[module], order[imported])
        if lowest[module] == order[module]:
            knot = path[path.index(module) :]
            del path[path.index(module) :]
            if len(knot) > 1:
                knots.append(sorted(knot))

    for module in sorted(graph.modules):
        if module not in order:
            visit(module)
    return knots


def test_the_application_has_no_circle() -> None:
    graph = grimp.build_graph("editor_app", exclude_type_checking_imports=False, cache_dir=None)
    assert len(graph.modules) > 500
    told = [
        f"{module} -> {imported}, line "
        f"{graph.get_import_details(importer=module, imported=imported)[0]['line_number']}"
        for knot in circles(graph)
        for module in knot
        for imported in graph.find_modules_directly_imported_by(module)
        if imported in knot
    ]
    assert told == []


def test_a_circle_is_found(tmp_path, monkeypatch) -> None:
    package = tmp_path / "knotted_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "first.py").write_text("from knotted_package.second import b\na = b\n")
    (package / "second.py").write_text(
        "def b():\n    from knotted_package.third import c\n    return c\n"
    )
    (package / "third.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from knotted_package.first "
        "import a\nc = 1\n"
    )
    (package / "fourth.py").write_text("from knotted_package.first import a\n")
    monkeypatch.syspath_prepend(tmp_path)
    graph = grimp.build_graph(
        "knotted_package", exclude_type_checking_imports=False, cache_dir=None
    )
    assert circles(graph) == [
        ["knotted_package.first", "knotted_package.second", "knotted_package.third"]
    ]
