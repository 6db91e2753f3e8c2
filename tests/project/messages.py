"""Which error messages some test asserts: `python3 messages.py ROOT [PART]` prints the share of each part, or those of a part
that no test knows.

A message is a text given to a function that fails (f0t_fail and those that wrap it). A test knows it where one of its strings
has a good part of that text, with anything in the place of %s and numbers in those of %zu, or where a unit test of the part asserts
a few words that no other message of the part has. This reads the sources alone, so that it is quick: that a string of a table is
asserted is up to the test.
"""
import ast
import collections
import pathlib
import re
import sys

FAILS = r"f0t_fail|f0t_fail_errno|f0t_text_fail|f0t_onnx_graph_fail_at|f0t_demo_fail|f0t_demo_fail_errno|f0t_sql_fail|f0t_error_set|cli_fail"
SAYS = "what|format|why|problem|message|reason|wanted"  # parameters of a function of one file that fails with them
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
GRAM = 6


def without_comments(text):
    keep = lambda m: m[0] if m[0].startswith('"') else " "
    return re.sub(LITERAL + r"|/\*.*?\*/|//[^\n]*", keep, text, flags=re.S)


def literals(text):
    """The strings of C, those beside each other as one."""
    text = re.sub(r"\bPRI\w+|\bF0T_\w+(?=\s*\")", '""', text)
    for run in re.findall(rf"{LITERAL}(?:\s*{LITERAL})*", text):
        joined = "".join(piece[1:-1] for piece in re.findall(LITERAL, run))
        yield re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), joined)


def arguments(text, start):
    """What is between the parenthesis at `start` and its partner."""
    depth = 0
    for m in re.compile(rf"{LITERAL}|[()]").finditer(text, start):
        depth += (m[0] == "(") - (m[0] == ")")
        if not depth:
            return text[start:m.end()]
    return ""


def wrappers(text):
    """Functions of a file that fail with a text they are given."""
    for m in re.finditer(r"^(?:static )?(?:f0t_status|int|bool|void)\s+(\w+)\(([^;{)]*)\)\s*\{(.*?)^\}", text, re.S | re.M):
        named = re.search(rf"const char \*({SAYS})\b", m[2])
        if named and re.search(rf"\b(?:{FAILS})\([^;]*\b{named[1]}\b", m[3], re.S):
            yield m[1]


def letters(text):
    return sum(c.isalnum() for c in text)


def is_message(text):
    """Not a name or an end that is put into one, nor SQL. That there is no memory, test_each_fault sees of every allocation."""
    own = re.sub(r"%[-+# 0-9.*]*(?:ll|[hlzjt])?[a-zA-Z]", "", text)
    return letters(own) >= 8 and " " in own.strip() and not re.match(r"[ ,;]|[A-Z]{6}|(?:%s: )?(?:no|out of) memory", text)


def messages(root):
    """{(part, text)} of all parts."""
    found = set()
    for folder in ("src", "server", "cli"):
        for path in sorted(pathlib.Path(root, folder).rglob("*.c")):
            part = path.parent.name if folder == "src" else folder
            text = without_comments(path.read_text())
            names = "|".join([FAILS, *wrappers(text)])
            for call in re.finditer(rf"\b(?:{names})\(", text):
                for literal in literals(arguments(text, call.end() - 1)):
                    if is_message(literal):
                        found.add((part, literal))
    return found


def asserted(text):
    """Strings of C that a call asserts of a message, each perhaps of a few words alone."""
    for call in re.finditer(r"\b\w*(?:fails|refuse|refused|refuses|rejects|strstr)\w*\(", text):
        yield from literals(arguments(text, call.end() - 1))
    for table in re.finditer(r"\*says;[^}]*\}[^;]*?=\s*(\{.*?)\};", text, re.S):  # what each of its rows is refused with
        yield from literals(table[1])


def known(root):
    """(all strings of tests, {part: those that its unit tests assert})"""
    found, short = set(), collections.defaultdict(set)
    for path in pathlib.Path(root, "tests").rglob("*.[ch]"):
        text = without_comments(path.read_text())
        found.update(literals(text))
        if path.parts[-3] == "unit":
            short[path.parts[-2]].update(asserted(text))
            short[path.parts[-2]].update(one[1:] for one in literals(text) if one.startswith("!"))  # tests/unit/onnx/rows.h
    for path in pathlib.Path(root, "tests", "cli").glob("*.sh"):
        shell = re.sub(r"(?m)^\s*#.*$|\s# .*$", "", path.read_text())  # an apostrophe there opens nothing
        for text in re.findall(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'', shell):
            found.update(re.split(r"\$\{[^}]*\}|\$\w+|\n", text[1:-1].replace('\\"', '"')))
    for folder in ("tests/server", "bindings/python/tests"):
        for path in pathlib.Path(root, folder).glob("*.py"):
            found.update(n.value for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    found = {text.lstrip("!") for text in found if len(text) <= 300}
    return with_ends(found), {part: with_ends(texts) for part, texts in short.items()}


def with_ends(texts):
    """Before the message callers put where it was: "node 0 (Relu): " and the like."""
    return texts | {text[m.end():] for text in texts for m in re.finditer(": ", text)}


def tokens(text):
    """Characters, and for %… the set of what may be there: numbers, or anything."""
    for m in re.finditer(r"%%|%[-+# 0-9.*]*(?:ll|[hlzjt])?([a-zA-Z])|.", text, re.S):
        yield m[0][-1] if len(m[0]) == 1 or m[0] == "%%" else {"number"} if m[1] in "diu" else {"text"}


def matched(form, text):
    """How many letters of the message a string of a test repeats; 0 where it is of no such message."""
    best = dict.fromkeys(range(len(form)), 0)  # the string may begin anywhere in the message
    for c in text:
        after = {}
        for at, score in best.items():
            while at < len(form):
                if isinstance(form[at], str):
                    if form[at] == c and after.get(at + 1, -1) < score + c.isalnum():
                        after[at + 1] = score + c.isalnum()
                    break
                if ("text" in form[at] or c in "-0123456789.") and after.get(at, -1) < score:
                    after[at] = score
                at += 1  # or nothing is in its place any more
        best = after
        if not best:
            return 0
    return max(best.values())


def grams(text, length=GRAM):
    return {text[i:i + length] for i in range(len(text) - length + 1)}


class Strings:
    """Strings by what is in them, to find those that may be of a message."""

    def __init__(self, texts, length):
        self.length, self.by_gram = length, collections.defaultdict(set)
        for text in texts:
            for gram in grams(text, length):
                self.by_gram[gram].add(text)

    def near(self, message):
        return set().union(*(self.by_gram.get(gram, ()) for gram in grams(message, self.length)))


def few_words(forms, strings):
    """Messages of a part that a string of its tests names, be it by a word, and no other message of the part does."""
    names = collections.defaultdict(set)
    for text, form in forms.items():
        if any(text in one for one in strings.near(text)):  # all of it, put into another one: "\"n\" must be a whole number"
            names[text] = {text}
        for one in strings.near(text):
            if matched(form, one) >= 4:
                names[one].add(text)
    return {next(iter(texts)) for texts in names.values() if len(texts) == 1}


def unknown(root):
    """{part: number of messages}, {part: those that no test knows}"""
    found, short = known(root)
    everything, parts = Strings(found, GRAM), collections.defaultdict(dict)
    for part, text in sorted(messages(root)):
        parts[part][text] = list(tokens(text))
    missing = {}
    for part, forms in parts.items():
        named = few_words(forms, Strings({text for text in short.get(part, ()) if len(text) >= 4}, 4))
        missing[part] = []
        for text, form in forms.items():
            wanted = min(12, 0.6 * sum(c.isalnum() for c in form if isinstance(c, str)))
            if text not in named and not any(matched(form, one) >= wanted for one in everything.near(text)):
                missing[part].append(text)
    return {part: len(forms) for part, forms in parts.items()}, missing


def main(root, part=None):
    counts, missing = unknown(root)
    if part:
        print("\n".join(missing[part]))
        return
    for name in sorted(counts):
        print(f"{name} {100 * (counts[name] - len(missing[name])) // counts[name]} {len(missing[name])}/{counts[name]}")
    print(f"all {100 * (1 - sum(map(len, missing.values())) / sum(counts.values())):.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
