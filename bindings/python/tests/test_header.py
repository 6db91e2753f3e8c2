"""The structs, numbers and functions of the package are those of the public headers."""
import ctypes
import os
import re
import subprocess
import tempfile
import unittest

import fast0tag
from fast0tag import _errors, _library, _structs
from support import ROOT

INCLUDE = ROOT / "include"
# How the compiler names the kind of a member; sizes are compared too.
KIND = """#define KIND(x) _Generic((x), bool: "bool", char: "char", int: "number", \\
    unsigned int: "number", size_t: "number", int64_t: "number", float: "float", \\
    double: "double", \\
    const char *: "text", default: "pointer")
"""


def structs():
    return [kind for kind in vars(_structs).values()
            if isinstance(kind, type) and issubclass(kind, ctypes.Structure)
            and hasattr(kind, "_fields_")]


def kind_of(field):
    if field in (ctypes.c_bool, ctypes.c_char, ctypes.c_float, ctypes.c_double):
        return field.__name__[2:]
    if field is ctypes.c_char_p:
        return "text"
    return "number" if field in (ctypes.c_int, ctypes.c_uint, ctypes.c_size_t, ctypes.c_int64,
                                ctypes.c_uint64) else "pointer"


def compile_and_run(body):
    """The lines that a C program with the headers and this body prints."""
    program = ('#include "fast0tag.h"\n#include "fast0tag_tools.h"\n#include <stdio.h>\n' + KIND +
               "int main(void)\n{\n" + body + "    return 0;\n}\n")
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "a.c"), os.path.join(folder, "a")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program)
        done = subprocess.run(
            ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wno-unused-variable", "-Werror",
             f"-I{INCLUDE}", source, "-o", binary], capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(done.stderr[:2000])
        return subprocess.run([binary], capture_output=True, text=True, check=True,
                              env={}).stdout.splitlines()


def zero(kind):
    """How C initialises a member of this kind with zeros."""
    if issubclass(kind, ctypes.Array):
        return "{" + zero(kind._type_) + "}"
    if issubclass(kind, ctypes.Structure):
        return "{" + ", ".join(zero(member) for _, member in kind._fields_) + "}"
    return "0"


def _kept(table):
    """Where nothing is merged or left out, the header says KEEP."""
    return {"keep" if name == "none" else name: number for name, number in table.items()}


class Header(unittest.TestCase):
    def test_every_struct_has_the_size_and_the_members_of_the_header(self):
        body, want = "", []
        for struct in structs():
            name = struct.__name__
            body += f'    printf("{name} %zu\\n", sizeof({name}));\n'
            want.append(f"{name} {ctypes.sizeof(struct)}")
            for field, kind in struct._fields_:
                at = getattr(struct, field)
                body += (f'    {{ {name} s; printf("{name}.{field} %zu %zu %s\\n", '
                         f"offsetof({name}, {field}), sizeof s.{field}, KIND(s.{field})); }}\n")
                want.append(f"{name}.{field} {at.offset} {at.size} {kind_of(kind)}")
        self.assertEqual(compile_and_run(body), want)

    def test_options_begin_with_their_size(self):
        sized = [struct for struct in structs() if struct._fields_[0][0] == "size"]
        self.assertIn(_structs.f0t_train_options, sized)
        for struct in sized:
            with self.subTest(struct):
                self.assertEqual(struct().size, ctypes.sizeof(struct))

    def test_no_struct_of_the_header_has_another_member(self):
        # Too few values for a struct are a warning of the compiler, too many are one as well.
        body = "".join(
            f"    static const {struct.__name__} {struct.__name__}_ = "
            "{" + ", ".join(zero(kind) for _, kind in struct._fields_) + "};\n"
            for struct in structs())
        compile_and_run(body)
        with self.assertRaises(AssertionError):
            compile_and_run("    static const f0t_progress p = {0, 0, 0};\n")
        with self.assertRaises(AssertionError):
            compile_and_run("    static const f0t_progress p = {0, 0, 0, 0, 0};\n")

    def test_every_function_is_declared_as_in_the_headers(self):
        headers = " ".join((INCLUDE / name).read_text() for name in
                           ("fast0tag.h", "fast0tag_tools.h"))
        headers = re.sub(r"\s+", " ", headers)
        for line in _library.declarations():
            with self.subTest(line):
                self.assertIn(f"F0T_API {line}", headers)

    def test_names_have_the_numbers_of_the_header(self):
        tables = {"F0T_METHOD_": _structs.METHODS, "F0T_EXPERT_": _structs.EXPERTS,
                  "F0T_LOSS_": _structs.LOSSES,
                  "F0T_PAIRS_": _structs.PAIRS, "F0T_HINGE_": _structs.HINGES,
                  "F0T_OPTIMIZER_": _structs.OPTIMIZERS, "F0T_CONDITION_": _structs.CONDITIONS,
                  "F0T_PREPARE_PLURALS_": _kept(_structs.PLURALS),
                  "F0T_PREPARE_FILE_WORDS_": _kept(_structs.FILE_WORDS),
                  "F0T_": _structs.SPLITS, "F0T_LOG_": _structs.LEVELS,
                  "F0T_MATCH_": _structs.MATCHES}
        body, want = "", []
        for prefix, table in tables.items():
            for name, number in table.items():
                constant = prefix + name.upper().replace("-", "_")
                body += f'    printf("{constant} %d\\n", (int){constant});\n'
                want.append(f"{constant} {number}")
        for constant in ("F0T_NONE", "F0T_HIDDEN_AUTO", "F0T_HIDDEN_MAX", "F0T_CURVE_SIZES",
                         "F0T_PREPARE_STEPS"):
            body += f'    printf("{constant} %zu\\n", (size_t){constant});\n'
            want.append(f"{constant} {getattr(_structs, constant)}")
        body += '    printf("%a\\n", F0T_AUTO);\n'
        want.append("-0x1.fffffffffffffp+1023")
        self.assertEqual(_structs.F0T_AUTO.hex(), want[-1])
        self.assertEqual(compile_and_run(body), want)
        self.assertEqual(compile_and_run('    printf("%d\\n", F0T_LOSSES);\n'),
                         [str(len(_structs.LOSSES))])
        self.assertEqual(compile_and_run('    printf("%d\\n", F0T_EXPERTS);\n'),
                         [str(len(_structs.EXPERTS))])

    def test_every_status_has_its_exception(self):
        header = (INCLUDE / "fast0tag.h").read_text()
        numbers = {int(n): name for name, n in re.findall(r"F0T_ERROR_(\w+) = (\d+)", header)}
        self.assertEqual(sorted(numbers), sorted(_errors.BY_STATUS))
        named = {1: "OutOfMemory", 2: "File", 9: "Stopped"}
        for number, name in numbers.items():
            want = named.get(number, name.title().replace("_", "")) + "Error"
            self.assertEqual(_errors.BY_STATUS[number].__name__, want)
            self.assertTrue(hasattr(fast0tag, want))

    def test_versions_agree(self):
        header = (INCLUDE / "fast0tag.h").read_text()
        version = ".".join(re.findall(r"F0T_VERSION_[A-Z]+ (\d+)", header))
        project = (ROOT / "bindings/python/pyproject.toml").read_text()
        self.assertEqual(fast0tag.__version__, version)
        self.assertEqual(fast0tag.library_version(), version)
        self.assertIn(f'version = "{version}"', project)
        self.assertIn("libfast0tag.so.0", _library.SONAME)
