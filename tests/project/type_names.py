"""Type names that are defined in more than one file of the folders named: `python3 type_names.py src include`.

A name means one thing: a reader who finds it in one part knows it in all. Types without the project's
prefix that a .c file has for itself may repeat.
"""
import collections
import pathlib
import re
import sys


def without_comments(text):
    """Nor strings, directives, and what is for C++ alone."""
    text = re.sub(r'/\*.*?\*/|//[^\n]*', ' ', text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])*\'', '0', text)
    text = re.sub(r'^#ifdef __cplusplus.*?^#endif', '', text, flags=re.S | re.M)
    return re.sub(r'^[ \t]*#(.*\\\n)*.*$', '', text, flags=re.M)


def without_bodies(text):
    """The text with {…} in place of everything between braces."""
    out, depth = [], 0
    for c in text:
        if c == '{':
            depth += 1
            if depth == 1:
                out.append('{')
        elif c == '}':
            depth -= 1
            if depth == 0:
                out.append('}')
        elif depth == 0:
            out.append(c)
    return ''.join(out)


def defined(text):
    """The names of types that the text defines; an opaque `typedef struct name name;` defines none."""
    # A function ends without a semicolon.
    text = re.sub(r'\)\s*\{\}', ');', without_bodies(without_comments(text)))
    for statement in text.split(';'):
        tag = re.search(r'\b(?:struct|union|enum)\s+(\w+)\s*\{\}', statement)
        if tag:
            yield tag[1]
        if not re.match(r'\s*(__extension__\s+)?typedef\b', statement):
            continue
        opaque = re.fullmatch(r'\s*typedef\s+(?:struct|union|enum)\s+(\w+)\s+(\w+)\s*', statement)
        pointer = re.search(r'\(\s*\*\s*(\w+)\s*\)', statement)
        plain = re.search(r'(\w+)\s*(?:\[[^]]*\]\s*|__attribute__.*)*$', statement.strip())
        if pointer:
            yield pointer[1]
        elif plain and not (opaque and opaque[1] == opaque[2]):
            yield plain[1]


def main(folders):
    places = collections.defaultdict(set)
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob('*.[ch]')):
            for name in defined(path.read_text()):
                if path.suffix == '.h' or name.startswith('f0t_'):
                    places[name].add(str(path))
    twice = {name: files for name, files in places.items() if len(files) > 1}
    for name, files in sorted(twice.items()):
        print(f'{name} is defined in {", ".join(sorted(files))}')
    return 1 if twice else 0


sys.exit(main(sys.argv[1:]))
