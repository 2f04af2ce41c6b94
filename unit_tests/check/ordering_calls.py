"""The ordering calls of a C++ source, and the source with each of them in an `if`."""

import re

CALLS = ("barrier_all|barrier|sync_all|sync|pe_quiet|quiet|fence|wait_until\\w*|"
         "signal_wait_until|put_signal\\w*|signal_op|order_after|set_lock|clear_lock|"
         "wait|wait_source")
# With the object of a member function: exec.fence(), context.quiet().
CALL = re.compile(r"(?<![\w.>:])(?:(symm::|Kokkos::)|((?:\w+(?:\(\))?(?:\.|->))+))?"
                  r"\b(" + CALLS + r")\s*\(")
OF_REQUESTS = ("wait", "wait_source")
OF_OBJECTS = ("fence", "quiet", "pe_quiet")


class Call:
    """A call in a file: its number there, where its statement is, and its name."""

    def __init__(self, file, number, start, end, text, line, kind):
        self.file, self.number, self.start, self.end = file, number, start, end
        self.text, self.line, self.kind = text, line, kind


def blanked(text):
    """The text with spaces for comments, what is in quotes and requirements."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'',
                         re.S)
    code = pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    for match in re.finditer(r"\brequires\s*\([^()]*\)\s*\{", code):
        end = closing(code, match.end() - 1, "{}")
        code = (code[:match.end()] + re.sub(r"[^\n]", " ", code[match.end():end - 1]) +
                code[end - 1:])
    return code


def closing(code, at, pair="()"):
    """Behind the parenthesis that closes the one at `at`."""
    depth = 0
    for i in range(at, len(code)):
        depth += {pair[0]: 1, pair[1]: -1}.get(code[i], 0)
        if depth == 0:
            return i + 1
    raise ValueError("no end of a call")


def begins_statement(code, at):
    """Whether what is at `at` is the beginning of a statement."""
    before = code[:at].rstrip()
    if not before or before[-1] in ";{}":
        return True
    if re.search(r"\b(else|do)$", before):
        return True
    if before[-1] != ")":
        return False
    depth = 0
    for i in range(len(before) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(before[i], 0)
        if depth == 0:
            return bool(re.search(r"\b(if|for|while|constexpr)\s*$", before[:i]))
    return False


def is_ordering(member, name):
    """Whether the call is of this library or Kokkos, by the name of its object."""
    if name in OF_REQUESTS:
        return bool(member) and member.startswith("request")
    return not member or name in OF_OBJECTS


def calls_of(file, text):
    """The calls that can be left out, in their order."""
    code = blanked(text)
    found = []
    for match in CALL.finditer(code):
        qualifier, member, name = match.groups()
        if not is_ordering(member, name):
            continue
        end = closing(code, code.index("(", match.end(3)))
        rest = re.match(r"\s*;", code[end:])
        if not rest or not begins_statement(code, match.start()):
            continue
        is_of_kokkos = qualifier == "Kokkos::" or (
            member and name == "fence" and not member.startswith("context"))
        found.append(
            Call(file, len(found) + 1, match.start(), end + rest.end(),
                 " ".join(text[match.start():end].split()),
                 text.count("\n", 0, match.start()) + 1,
                 "fence of Kokkos" if is_of_kokkos else "symm"))
    return found


def guarded(text, calls, first):
    """The text with each call in an `if`; the numbers begin at `first`."""
    for i, call in reversed(list(enumerate(calls))):
        statement = text[call.start:call.end]
        text = (text[:call.start] + "do { if (symm_mutant::has(" + str(first + i) +
                ")) " + statement + " } while (false);" + text[call.end:])
    return text


def self_test():
    text = """concept c = requires(T* t) { symm::quiet(t); }; // symm::barrier_all();
void f() { symm::barrier_all(exec);
  for (auto const& x : y)
    symm::put_signal(a, subview(b, 1), "symm::quiet();",
                     pe);
  exec.fence("a ) in a text"); Exec().fence(); context.quiet();
  bool const is = symm::test(a) && symm::signal_wait_until(a, 1) == 1;
  if (x) symm::quiet(); else symm::fence();
  exchange.wait(1); my::barrier_all(); void barrier(int x);
  context.fence(); request.wait(); requests[0].wait();
}"""
    calls = calls_of("f.cpp", text)
    names = [re.search(r"(\w+)\(", call.text.replace("Exec()", "")).group(1)
             for call in calls]
    assert names == ["barrier_all", "put_signal", "fence", "fence", "quiet", "quiet",
                     "fence", "fence", "wait"], names
    assert [call.line for call in calls] == [2, 4, 6, 6, 6, 8, 8, 10, 10]
    assert [call.kind for call in calls].count("fence of Kokkos") == 2
    changed = guarded(text, calls, 1)
    assert "has(1)) symm::barrier_all(exec); } while (false);" in changed
    assert "if (x) do { if (symm_mutant::has(6)) symm::quiet(); }" in changed
