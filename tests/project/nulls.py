"""Writes a C program that calls every public function with NULL where it needs something: those that
return f0t_status shall fail with F0T_ERROR_ARGUMENT and a line, the others that take NULL shall take it.

A function that needs an object of the library never gets one; its other pointers are NULL or not, in
every combination. The others are called with nothing, and with nothing but their output."""
import re
import sys
from pathlib import Path

ALL_OPTIONAL = {"f0t_eval_options_check"}  # NULL: the defaults
RESULTS = {"f0t_study", "f0t_cleaning"}  # structs that only the library makes

text = "".join((Path(sys.argv[1]) / name).read_text() for name in ("fast0tag.h", "fast0tag_tools.h"))
text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
opaque = set(re.findall(r"typedef struct (\w+) \1;", text)) | RESULTS
print('#include "fast0tag_tools.h"\n#include <stdio.h>\n#include <string.h>\n#include <sys/wait.h>\n#include <unistd.h>\n'
      'static char room[1 << 16];\nstatic const char *const list[] = {"nowhere"};\nstatic int wrong;\n'
      '#define CALL(name, want, call) do { pid_t child = fork(); int code; if (!child) {'
      ' f0t_status got = (call); _exit((want) && got != (want) ? 1 : (want) && !strstr(f0t_last_error(), "NULL") ? 2 : 0); }'
      ' waitpid(child, &code, 0); if (code) { wrong = 1; printf("%s: %s: %s\\n", name, #call, WIFSIGNALED(code) ?'
      ' "crashes" : WEXITSTATUS(code) == 1 ? "is not F0T_ERROR_ARGUMENT" : "names no NULL"); } } while (0)\n'
      "int main(void)\n{")


def given(kind: str) -> str:
    if "const char *const" in kind:
        return "list"
    return '"nowhere"' if kind.startswith("const char *") else "(void *)room"


def is_object(kind: str) -> bool:
    return kind.count("*") == 1 and re.sub(r"\bconst\b|[* ]", "", kind) in opaque


calls = 0
for result, name, inside in re.findall(r"F0T_API\s+(\w+)\s+(f0t_\w+)\(([^;]*)\);", text):
    kinds = [re.sub(r"\w+$", "", part.strip()).strip() for part in " ".join(inside.split()).split(",")]
    pointers = [i for i, kind in enumerate(kinds) if "*" in kind and not is_object(kind)]
    objects = any(is_object(kind) and "f0t_context" not in kind for kind in kinds)  # NULL: all CPUs
    if result == "void" and re.search("_(free|close|abort)$", name):
        print(f'    CALL("{name}", F0T_OK, ({name}(NULL), F0T_OK));')
        calls += 1
    if result != "f0t_status":
        continue
    masks = range(1 << len(pointers)) if objects else [0, 1] if "**" in kinds[0] else [0]
    for mask in masks:
        chosen = {p for bit, p in enumerate(pointers) if mask >> bit & 1}
        arguments = [given(kind) if i in chosen else "NULL" if "*" in kind else "1" for i, kind in enumerate(kinds)]
        want = "F0T_ERROR_ARGUMENT" if name not in ALL_OPTIONAL and (objects or not mask) else "F0T_OK"
        print(f'    CALL("{name}", {want}, {name}({", ".join(arguments)}));')
        calls += 1
print(f'    printf("%d calls\\n", {calls});\n    return wrong;\n}}')
