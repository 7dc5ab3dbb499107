"""The faults that Python code can have: found in its syntax tree, put in by replacing a piece of its text.

Neither mutmut nor cosmic-ray draws a sample by a seed that outlives edits elsewhere, asks the nearest tests
first, or keeps results that add up; what they would bring are the operators, which are written here. A fault
that nobody can notice is not made: texts and what is inside f-strings (words for people), docstrings,
annotations, `__all__`, decorators, assertions and the `strict` of a `zip` (which only check), `encoding`
(which is the default of most machines), log lines, `TYPE_CHECKING`.
"""

from __future__ import annotations

import ast
import itertools
import re

from .faults import Fault, key_of

COMPARE: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any"}
SIDES = {"first": "second", "second": "first"}
ONLY_CHECKS = {"encoding", "strict"}
LOGS = {"log", "logger", "logging", "warnings"}
TYPES = {"Literal", "TypeVar", "NewType", "cast"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_faults(file: str, source: bytes) -> list[Fault]:
    """All faults of a file, in the order of their places; each of them parses and is another program."""
    finder = _Finder(file, source)
    finder.body(finder.tree.body)
    return sorted(finder.found, key=lambda fault: (fault.start, fault.end, fault.operator, fault.after))


def makes_a_program(fault: Fault, source: bytes) -> bool:
    """Whether the file with the fault can be parsed, and is not the same program as before."""
    try:
        changed = ast.parse(fault.applied(source))
    except SyntaxError:
        return False
    return ast.dump(changed) != ast.dump(ast.parse(source))


class _Finder:
    def __init__(self, file: str, source: bytes) -> None:
        self.file = file
        self.source = source
        self.tree = ast.parse(source)
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.found: list[Fault] = []
        self.keys: dict[str, int] = {}
        self.unit = "<module>"
        self.unit_start = 0
        self.unit_text = ""

    # Places.

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def text(self, start: int, end: int) -> str:
        return self.source[start:end].decode()

    def add(self, operator: str, start: int, end: int, after: str) -> None:
        before = self.text(start, end)
        key = key_of(self.file, self.unit, self.unit_text, start - self.unit_start, operator, after)
        # The same statement twice at the top of one file.
        self.keys[key] = self.keys.get(key, 0) + 1
        if self.keys[key] > 1:
            key = key_of(self.file, self.unit, self.unit_text, start, operator, after)
        line = self.source.count(b"\n", 0, start) + 1
        self.found.append(Fault(self.file, line, self.unit, operator, start, end, before, after, key))

    def between(self, operator: str, left: ast.expr, right: ast.expr, old: str, new: str) -> None:
        """An operator that stands between two operands, and possibly brackets."""
        start, end = self.span(left)[1], self.span(right)[0]
        pattern = r"\s+".join(map(re.escape, old.split()))
        if old[0].isalpha():
            pattern = rf"\b{pattern}\b"
        match = re.search(pattern, re.sub(r"#.*", lambda m: " " * len(m[0]), self.text(start, end)))
        if match:
            self.add(operator, start + match.start(), start + match.end(), new)

    # Units.

    def body(self, statements: list[ast.stmt], inside: str = "") -> None:
        """Statements that run at import, of the module or of a class."""
        for statement in statements:
            match statement:
                case ast.ClassDef():
                    self.body(statement.body, f"{inside}{statement.name}.")
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self.enter(statement, f"{inside}{statement.name}()")
                    self.function(statement)
                case ast.If() if _for_types(statement.test) or _is_main(statement.test):
                    self.body(statement.orelse, inside)
                case _ if not _is_dunder(statement) and not _is_type(statement):
                    self.enter(statement, inside.removesuffix(".") or "<module>")
                    self.statement(statement, top=True)

    def enter(self, node: ast.stmt, name: str) -> None:
        start, end = self.span(node)
        self.unit, self.unit_start, self.unit_text = name, start, self.text(start, end)

    def function(self, node: Function) -> None:
        if any(ast.unparse(one).endswith(("overload", "abstractmethod")) for one in node.decorator_list):
            return
        for default in [*node.args.defaults, *(one for one in node.args.kw_defaults if one is not None)]:
            self.expression(default, operator="default")
        for statement in node.body:
            self.statement(statement)

    # Statements.

    def statement(self, node: ast.stmt, *, top: bool = False) -> None:
        start, end = self.span(node)
        match node:
            case ast.Assert() | ast.Import() | ast.ImportFrom() | ast.Global() | ast.Nonlocal() | ast.Pass():
                return
            case ast.Expr(value=ast.Constant()):
                return
            case ast.Expr(value=value):
                if _logs(value):
                    return
                if not isinstance(value, ast.Yield | ast.YieldFrom):
                    self.add("statement deleted", start, end, "pass")
            case (
                ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_])
                | ast.AnnAssign(target=ast.Attribute(), value=ast.expr())
            ):
                self.add("statement deleted", start, end, "pass")
            case ast.AugAssign(target=target, op=op, value=value):
                self.add("statement deleted", start, end, "pass")
                if type(op) in ARITHMETIC:
                    old, new = ARITHMETIC[type(op)]
                    self.between("arithmetic", target, value, f"{old}=", f"{new}=")
            case ast.Raise() | ast.Break() | ast.Continue() | ast.Delete():
                self.add("statement deleted", start, end, "pass")
            case ast.Return(value=ast.expr() as value):
                if not (isinstance(value, ast.Constant) and value.value is None):
                    self.add("returned value", *self.span(value), "None")
            case ast.If(test=test):
                if _for_types(test):
                    return
                self.condition(test, ("True", "False"))
            case ast.While(test=test):
                self.condition(test, ("False",))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(node)
                return
            case ast.ClassDef():
                for inner in node.body:
                    self.statement(inner)
                return
            case _:
                pass
        self.children(node)

    def condition(self, test: ast.expr, values: tuple[str, ...]) -> None:
        if not isinstance(test, ast.Constant):
            for value in values:
                self.add("condition", *self.span(test), value)

    def children(self, node: ast.AST) -> None:
        for name, field in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_comment", "pattern"):
                continue
            for child in field if isinstance(field, list) else [field]:
                if isinstance(child, ast.stmt):
                    self.statement(child)
                elif isinstance(child, ast.expr):
                    self.expression(child)
                elif isinstance(child, ast.match_case):
                    if child.guard is not None:
                        self.condition(child.guard, ("True", "False"))
                    self.children(child)
                elif isinstance(child, ast.comprehension):
                    for test in child.ifs:
                        self.condition(test, ("True",))
                    self.children(child)
                elif isinstance(child, ast.AST) and not isinstance(child, ast.arguments):
                    self.children(child)

    # Expressions.

    def expression(self, node: ast.expr, operator: str = "constant") -> None:
        start, end = self.span(node)
        match node:
            case ast.JoinedStr():
                return
            case ast.Constant(value=value):
                after = _other_constant(value)
                if after is not None:
                    self.add(operator, start, end, after)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                for one, op, other in zip([left, *comparators], ops, comparators, strict=False):
                    self.between("comparison", one, other, *COMPARE[type(op)])
            case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
                if not (_is_text(left) or _is_text(right)):
                    self.between("arithmetic", left, right, *ARITHMETIC[type(op)])
            case ast.BoolOp(op=op, values=values):
                words = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
                for left, right in itertools.pairwise(values):
                    self.between("logic", left, right, *words)
            case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
                self.add(
                    "logic" if isinstance(node.op, ast.Not) else "arithmetic",
                    start,
                    end,
                    self.operand(operand),
                )
            case ast.IfExp(test=test):
                self.condition(test, ("True", "False"))
            case ast.Call(func=func):
                self.call(node, func)
                return
            case ast.Subscript(value=ast.Name(id=name)) if name in TYPES:
                return
            case ast.Lambda(args=args, body=body):
                for default in [*args.defaults, *(one for one in args.kw_defaults if one is not None)]:
                    self.expression(default, operator="default")
                self.expression(body)
                return
            case _:
                pass
        self.children(node)

    def operand(self, node: ast.expr) -> str:
        """What a `not` or a minus is said of; in brackets, since those around it are no part of it."""
        return f"({self.text(*self.span(node))})"

    def call(self, node: ast.Call, func: ast.expr) -> None:
        name = func.id if isinstance(func, ast.Name) else None
        if name in TYPES:
            return
        if name in CALLED:
            self.add("function", *self.span(func), CALLED[name])
        self.expression(func)
        # What is asked of a type is no arithmetic.
        for argument in node.args[:1] if name in ("isinstance", "issubclass") else node.args:
            self.expression(argument)
        for keyword in node.keywords:
            if keyword.arg is not None and keyword.arg not in ONLY_CHECKS:
                start, end = self.span(keyword)
                comma = re.match(rb"\s*,\s*", self.source[end:])
                self.add("argument dropped", start, end + (comma.end() if comma else 0), "")
            if keyword.arg not in ONLY_CHECKS:
                self.expression(keyword.value)


def _other_constant(value: object) -> str | None:
    match value:
        case bool():
            return str(not value)
        case int():
            return str(value + 1)
        case float():
            return repr(2 * value) if value else "1.0"
        case str() if value in SIDES:
            return f'"{SIDES[value]}"'
    return None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _for_types(test: ast.expr) -> bool:
    return ast.unparse(test).endswith("TYPE_CHECKING")


def _is_main(test: ast.expr) -> bool:
    return "__name__" in ast.unparse(test)


def _is_dunder(node: ast.stmt) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(one, ast.Name) and re.fullmatch("__\\w+__", one.id) for one in targets)


def _is_type(node: ast.stmt) -> bool:
    """A name for types: `Move = str | int`, `Side = Literal[...]`."""

    def named(value: ast.expr) -> bool:
        match value:
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return named(left) and named(right)
            case ast.Subscript(value=ast.Name() | ast.Attribute()) | ast.Name() | ast.Attribute():
                return True
            case ast.Constant(value=None | str()):
                return True
        return False

    return isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp) and named(node.value)


def _logs(value: ast.expr) -> bool:
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name.lstrip("_").lower() in LOGS
    return False
