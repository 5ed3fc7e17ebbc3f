# SPDX-License-Identifier: Apache-2.0
"""Reads the part of SystemVerilog that rtl/ uses, as far as mutants need it.

The result is a list of what may be changed: expressions that are evaluated while the simulation runs, and statements.
Everything that must be constant is left out: parameters, widths, replication counts, generate conditions, bounds of loops, labels of
a case, and the functions that compute them. So are targets of assignments and arguments that tasks write.
"""
import dataclasses

from sv_tokens import tokens_of

BINARY = {  # precedence
    "||": 1, "&&": 2, "|": 3, "^": 4, "~^": 4, "^~": 4, "&": 5, "==": 6, "!=": 6, "===": 6, "!==": 6, "==?": 6, "!=?": 6,
    "<": 7, "<=": 7, ">": 7, ">=": 7, "<<": 8, ">>": 8, "<<<": 8, ">>>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10, "**": 11,
}
UNARY = ("+", "-", "!", "~", "&", "|", "^", "~&", "~|", "~^", "^~")
DECLARE = ("logic", "bit", "int", "integer", "byte", "wire", "reg", "genvar", "automatic", "static", "var", "string", "real")


@dataclasses.dataclass
class Node:
    """An expression; `parts` are those inside that may be changed, too."""
    kind: str  # number, name, unary, binary, choice, other
    start: int
    end: int
    parts: list = dataclasses.field(default_factory=list)
    operator: str = ""


@dataclasses.dataclass
class Place:
    """Where an expression is used, or a statement."""
    kind: str  # value (of an assignment), condition (of an if), argument, port, subject (of a case), update (<=), call
    node: Node
    block: str = ""   # clocked, combinational, subroutine or empty: none of them
    target: str = ""  # of a value


class Unexpected(ValueError):
    pass


class Reader:
    """One file."""

    def __init__(self, source):
        self.source = source
        self.tokens, self.in_macros = tokens_of(source)
        self.at = 0
        self.places = []
        self.constant_calls = set()  # functions that compute constants
        self.other_calls = set()
        self.inputs = {}             # task or function: for each argument, whether it is an input by value
        self.places_of = {}          # task or function: its range of self.places
        self.loop_names = set()
        self.block = ""
        self.read_signatures()
        while self.at < len(self.tokens):
            self.item()
        for name, (first, last) in self.places_of.items():
            unused = name in self.in_macros and name not in self.other_calls
            if name in self.constant_calls or unused:
                self.places[first:last] = [None] * (last - first)
        self.places = [p for p in self.places if p]

    # --- Words ------------------------------------------------------------------------------------

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead].text if self.at + ahead < len(self.tokens) else ""

    def kind(self, ahead=0):
        return self.tokens[self.at + ahead].kind if self.at + ahead < len(self.tokens) else ""

    def is_name(self, ahead=0):
        return self.kind(ahead) == "name"

    def take(self, text=None):
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        if token is None or (text is not None and token.text != text):
            line = self.source.count("\n", 0, token.start if token else len(self.source)) + 1
            raise Unexpected(f"line {line}: '{token.text if token else 'the end'}' instead of '{text}'")
        self.at += 1
        return token

    def last_end(self):
        return self.tokens[self.at - 1].end

    def skip_group(self):
        """From an opening bracket to what follows its partner."""
        depth = 0
        while True:
            text = self.take().text
            depth += (text in ("(", "[", "{", "'{")) - (text in (")", "]", "}"))
            if depth == 0:
                return

    def skip_to(self, *ends):
        """To one of these words outside of brackets, not past it."""
        while self.peek() not in ends:
            if self.peek() in ("(", "[", "{", "'{"):
                self.skip_group()
            else:
                self.take()

    def note_constant(self, first):
        """The functions called in the words from `first` on compute constants."""
        for i in range(first, self.at - 1):
            if self.tokens[i].kind == "name" and self.tokens[i + 1].text == "(":
                self.constant_calls.add(self.tokens[i].text)

    # --- Tasks and functions ----------------------------------------------------------------------

    def read_signatures(self):
        for self.at, token in enumerate(self.tokens):
            if token.text not in ("task", "function") or self.at and self.peek(-1) in ("end", "import"):
                continue
            while self.peek(1) not in ("(", ";"):
                self.take()
            name = self.take().text
            if self.peek() != "(":
                continue
            begin = self.at
            self.skip_group()
            # A macro before a direction is the one for wide inputs, by reference.
            arguments, by_value, direction = [], True, ""
            previous = self.tokens[begin].end
            for token in self.tokens[begin + 1:self.at]:
                if "`" in self.source[previous:token.start]:
                    by_value = False
                if token.text in ("input", "output", "inout", "ref"):
                    direction, by_value = token.text, token.text == "input"
                if token.text in (",", ")") and not self.inside(begin, token):
                    arguments.append(by_value)
                    by_value = direction == "input"
                previous = token.end
            self.inputs[name] = arguments
        self.at = 0

    def inside(self, begin, token):
        """Whether a word of an argument list is in brackets inside of it."""
        depth = 0
        for other in self.tokens[begin + 1:]:
            if other is token:
                return depth > 0
            depth += (other.text in ("(", "[", "{")) - (other.text in (")", "]", "}"))
        return False

    def subroutine(self):
        kind = self.take().text
        while self.peek(1) not in ("(", ";"):
            self.take()
        name = self.take().text
        if self.peek() == "(":
            self.skip_group()
        self.take(";")
        first = len(self.places)
        self.block = "subroutine"
        while self.peek() != "end" + kind:
            self.statement()
        self.take()
        self.block = ""
        self.places_of[name] = (first, len(self.places))

    # --- What a module or package contains --------------------------------------------------------

    def item(self):
        text = self.peek()
        if text in ("package", "module"):
            self.take()
            self.skip_to(";")
            self.take()
        elif text in ("endpackage", "endmodule", "end", ";", "generate", "endgenerate", "else"):
            self.take()
            self.label()
        elif text == "begin":
            self.take()
            self.label()
        elif text in ("function", "task"):
            self.subroutine()
        elif text == "assign":
            self.take()
            self.continuous()
        elif text in ("always_comb", "always_latch", "always_ff", "always"):
            self.take()
            if self.peek() == "@":
                self.take()
                self.skip_group()
            self.block = "clocked" if text == "always_ff" else "combinational"
            self.statement()
            self.block = ""
        elif text in ("initial", "final"):
            first = len(self.places)
            self.take()
            self.statement()
            del self.places[first:]
        elif text in ("for", "if", "case"):
            if text == "case":
                raise Unexpected("a case that generates")
            first = self.at
            self.take()
            self.note_loop()
            self.skip_group()
            self.note_constant(first)
        elif self.is_instance():
            self.instance()
        else:
            first = self.at
            self.skip_to(";")
            self.take()
            self.note_constant(first)

    def label(self):
        if self.peek() == ":":
            self.take()
            self.take()

    def note_loop(self):
        """The variable of the loop whose header is next."""
        if self.peek() == "(":
            for ahead in range(1, 6):
                if self.peek(ahead) == "=" and self.is_name(ahead - 1):
                    self.loop_names.add(self.peek(ahead - 1))

    def is_instance(self):
        if not self.is_name() or self.peek() in DECLARE:
            return False
        begin, self.at = self.at, self.at + 1
        if self.peek() == "#":
            self.take()
            if self.peek() == "(":
                self.skip_group()
        result = self.is_name() and self.peek(1) == "(" and self.tokens[begin].text != "localparam"
        self.at = begin
        return result

    def instance(self):
        self.take()
        if self.peek() == "#":
            self.take()
            first = self.at
            self.skip_group()
            self.note_constant(first)
        self.take()
        self.take("(")
        while self.peek() != ")":
            self.take(".")
            port = self.take().text
            if self.peek() == "(":
                self.take()
                if self.peek() != ")":
                    if port.endswith(("_i", "_ni")) and port not in ("clk_i", "rst_ni"):
                        self.add("port", self.expression())
                    else:
                        self.skip_to(")")
                self.take(")")
            if self.peek() == ",":
                self.take()
        self.take()
        self.take(";")

    def continuous(self):
        while True:
            self.assignment("=")
            if self.take().text == ";":
                return

    # --- Statements -------------------------------------------------------------------------------

    def statement(self):
        text = self.peek()
        if text == "begin":
            self.take()
            self.label()
            while self.peek() != "end":
                self.statement()
            self.take()
            self.label()
        elif text in ("unique", "priority"):
            self.take()
            self.statement()
        elif text == "if":
            self.take()
            self.take("(")
            self.add("condition", self.expression())
            self.take(")")
            self.statement()
            if self.peek() == "else":
                self.take()
                self.statement()
        elif text in ("case", "casez"):
            self.case()
        elif text == "for":
            self.take()
            self.note_loop()
            self.skip_group()
            self.statement()
        elif text == "return":
            self.take()
            self.add("value", self.expression())
            self.take(";")
        elif text == ";":
            self.take()
        elif self.is_declaration():
            self.skip_to(";")
            self.take()
        elif self.is_call():
            begin = self.tokens[self.at].start
            name = self.called()
            self.arguments(name)
            self.take(";")
            self.add("call", Node("other", begin, self.last_end()))
        else:
            begin = self.tokens[self.at].start
            operator = self.assignment(None)
            self.take(";")
            if operator == "<=":
                self.add("update", Node("other", begin, self.last_end()))

    def case(self):
        self.take()
        self.take("(")
        self.add("subject", self.expression())
        self.take(")")
        while self.peek() != "endcase":
            self.skip_to(":", ";") if self.peek() == "default" else self.skip_to(":")
            if self.peek() == ":":
                self.take()
            self.statement()
        self.take()

    def is_declaration(self):
        if self.peek() in DECLARE or self.peek() in ("localparam", "typedef"):
            return True
        if not self.is_name():
            return False
        ahead = 3 if self.peek(1) == "::" else 1
        return self.is_name(ahead)

    def is_call(self):
        ahead = 2 if self.peek(1) == "::" else 0
        return self.is_name(ahead) and self.peek(ahead + 1) == "("

    def called(self):
        self.take()
        if self.peek() == "::":
            self.take()
            self.take()
        name = self.tokens[self.at - 1].text
        self.other_calls.add(name)
        return name

    def arguments(self, name):
        """Of a statement that calls a task."""
        inputs = self.inputs.get(name, [])
        self.take("(")
        number = 0
        while self.peek() != ")":
            if number < len(inputs) and inputs[number]:
                self.add("argument", self.expression())
            else:
                self.skip_to(",", ")")
            number += 1
            if self.peek() == ",":
                self.take()
        self.take()

    def assignment(self, operator):
        """target = value; returns the operator."""
        begin = self.tokens[self.at].start
        self.skip_to(*([operator] if operator else ["=", "<=", ";"]))
        target = self.source[begin:self.last_end()]
        operator = self.take().text
        if operator == ";" or self.peek() == "'{":
            self.skip_to(";", ",")
            return operator
        self.add("value", self.expression(), " ".join(target.split()))
        return operator

    def add(self, kind, node, target=""):
        self.places.append(Place(kind, node, self.block, target))

    # --- Expressions ------------------------------------------------------------------------------

    def expression(self):
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.take()
        yes = self.expression()
        self.take(":")
        no = self.expression()
        return Node("choice", condition.start, no.end, [condition, yes, no])

    def binary(self, level):
        left = self.unary()
        while BINARY.get(self.peek(), -1) > level:
            operator = self.take().text
            right = self.binary(BINARY[operator])
            left = Node("binary", left.start, right.end, [left, right], operator)
        return left

    def unary(self):
        token = self.tokens[self.at]
        if token.text in UNARY:
            self.take()
            operand = self.unary()
            return Node("unary", token.start, operand.end, [operand], token.text)
        return self.primary()

    def primary(self):
        token = self.take()
        node = Node("other", token.start, token.end)
        if token.text == "(":
            node.parts.append(self.expression())
            self.take(")")
        elif token.text == "{":
            self.concatenation(node)
        elif token.text == "'{":
            self.at -= 1
            self.skip_group()
        elif token.kind == "number":
            node.kind = "number"
        elif token.kind == "name":
            self.named(node, token)
        elif token.kind != "string":
            self.at -= 1
            raise Unexpected(f"line {self.source.count(chr(10), 0, token.start) + 1}: no expression begins with '{token.text}'")
        if self.peek() == "'" and self.peek(1) == "(":  # a cast
            self.take()
            self.take()
            inner = self.expression()
            self.take(")")
            node = Node("other", node.start, self.last_end(), [inner])
        node.end = self.last_end()
        return node

    def concatenation(self, node):
        begin = self.at
        first = self.expression()
        if self.peek() == "{":  # the count is constant
            self.note_constant(begin)
            inner = Node("other", 0, 0)
            self.take()
            self.concatenation(inner)
            node.parts += inner.parts
            self.take("}")
            return
        node.parts.append(first)
        while self.peek() == ",":
            self.take()
            node.parts.append(self.expression())
        self.take("}")

    def named(self, node, token):
        while self.peek() == "::":
            self.take()
            token = self.take()
        node.kind = "name"
        if self.peek() == "(":
            node.kind = "other"
            self.other_calls.add(token.text)
            self.take()
            constant = token.text in ("$bits", "$clog2")
            by_reference = [not i for i in self.inputs.get(token.text, [])]
            number = 0
            while self.peek() != ")":
                argument = self.expression()
                if not constant and not (number < len(by_reference) and by_reference[number]):
                    node.parts.append(argument)
                number += 1
                if self.peek() == ",":
                    self.take()
            self.take()
        while self.peek() in ("[", "."):
            node.kind = "other"
            if self.take().text == ".":
                self.take()
                continue
            index = self.expression()
            if self.peek() in (":", "+:", "-:"):
                ranged = self.take().text == ":"
                self.expression()
            else:
                ranged = False
            # An index of loops and parameters only is no choice of the hardware.
            if not ranged and self.selects(index):
                node.parts.append(index)
            self.take("]")

    def selects(self, node):
        """Whether a name in the expression is neither of a loop nor constant."""
        words = [t for t in self.tokens if node.start <= t.start < node.end and t.kind == "name"]
        return any(t.text not in self.loop_names and not t.text[0].isupper() for t in words)
