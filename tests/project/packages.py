"""Files that the build uses and that no package brings of those on stdin and what they depend on.

Usage: packages.py ROOT BUILD SCRATCH <PACKAGES

Configures ROOT in the folder SCRATCH as `make` does, but without the optional modules, and takes from there and from BUILD, where ROOT was
built, which files CMake, the compiler, the linker and pkg-config read and which programs run. Prints one line per package that is missing,
with files of it, and one per file that no package has. Fails if there is no build to look at.
"""

import json
import os
import re
import shlex
import subprocess
import sys

TARGET = "fast0tag_installed"


def lines_of(*command):
    """The lines that a command prints, also one that fails."""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout.splitlines()


# ---- What the build uses -------------------------------------------------------------------------------------------


def configure(root, scratch):
    """Configures in the folder scratch. Returns CMake's calls: the file that each is in, its name, its arguments."""
    trace = f"{scratch}.trace"
    plain = {name: value for name, value in os.environ.items() if not name.startswith("CMAKE_")}
    options = ["-G", "Ninja", "-DF0T_TESTS=OFF", "-DF0T_MPI=OFF", "-DF0T_GPU=OFF"]
    tracing = ["--trace-expand", "--trace-format=json-v1", f"--trace-redirect={trace}"]
    subprocess.run(["cmake", "-S", root, "-B", scratch, *options, *tracing], check=True, stdout=subprocess.DEVNULL, env=plain)
    with open(trace, encoding="utf-8") as lines:
        calls = [json.loads(line) for line in lines]
    return [(call["file"], call["cmd"], call["args"]) for call in calls if "file" in call]


def cache(scratch):
    """The entries of CMake's cache: name, type, value."""
    with open(f"{scratch}/CMakeCache.txt", encoding="utf-8") as lines:
        return re.findall(r"^([^#/\n][^:\n]*):([A-Z]+)=(.*)$", lines.read(), re.MULTILINE)


def named_files(calls, scratch):
    """Files that CMake read, was given or found."""
    words = [name for name, _, _ in calls]
    words += [word for _, _, arguments in calls for argument in arguments for word in argument.split(";")]
    words += [value for _, kind, value in cache(scratch) if kind == "FILEPATH"]
    return {word for word in words if os.path.isabs(word) and os.path.isfile(word)}


def modules(calls):
    """The files NAME.pc of the modules that CMake asks pkg-config for, and of those that they require."""
    asked = [arguments[3].split(";") for _, command, arguments in calls
             if command == "execute_process" and arguments[1].endswith("/pkg-config")]
    todo = [words[-1] for words in asked if "--exists" in words]
    files = {}
    while todo:
        name = re.split(r"[<>=!\s]", todo.pop())[0]
        if name and name not in files:
            folder = lines_of("pkg-config", "--variable=pcfiledir", name)
            files[name] = f"{folder[0]}/{name}.pc" if folder else f"{name}.pc"
            todo += lines_of("pkg-config", "--print-requires", "--print-requires-private", name)
    return set(files.values())


def libraries(words):
    """The files behind the options -lNAME of a command that links; libNAME.so where there is none."""
    folders = [word[2:] for word in words if word.startswith("-L")]
    for name in (word[2:] for word in words if re.fullmatch(r"-l[\w+.-]+", word)):
        files = [f"lib{name}.so", f"lib{name}.a"]
        paths = [f"{folder}/{file}" for folder in folders for file in files]
        paths += [path for file in files for path in lines_of(words[0], f"-print-file-name={file}")]
        yield next((path for path in paths if os.path.isfile(path)), files[0])


def commands(scratch):
    """Programs and files that the build's commands name."""
    files = set()
    for line in lines_of("ninja", "-C", scratch, "-t", "commands", TARGET):
        for words in map(shlex.split, line.split("&&")):
            files |= {word for word in words if os.path.isabs(word) and os.path.isfile(word)} | set(libraries(words))
    return files


def compiler(scratch):
    """What the compiler runs and links by itself."""
    program = next(value for name, _, value in cache(scratch) if name == "CMAKE_C_COMPILER")
    found = [lines_of(program, f"-print-prog-name={name}")[0] for name in ("cc1", "collect2", "as", "ld")]
    found += [lines_of(program, f"-print-file-name={name}")[0] for name in ("crt1.o", "crtbeginS.o", "libgcc.a", "libgcc_s.so", "libc.so")]
    return {path if os.path.isabs(path) else lines_of("which", path)[0] for path in found}


def headers(scratch, build):
    """What the compiler read."""
    objects = [name for name in lines_of("ninja", "-C", scratch, "-t", "inputs", TARGET) if name.endswith(".o")]
    lines = lines_of("ninja", "-C", build, "-t", "deps", *objects)
    built = sum(": #deps" in line for line in lines)
    if len(objects) < 400 or built < len(objects):
        sys.exit(f"{build}: {built} of {len(objects)} objects are built; this needs all of some 500")
    return {line.strip() for line in lines if line.startswith("    /")}


def loaded(build):
    """The shared libraries that the programs load."""
    lines = lines_of("ldd", f"{build}/fast0tag", f"{build}/fast0tag-picture")
    return {path for line in lines for path in re.findall(r"=> (/\S+)", line)}


def used(root, build, scratch):
    calls = configure(root, scratch)
    files = named_files(calls, scratch) | modules(calls) | commands(scratch) | compiler(scratch) | headers(scratch, build) | loaded(build)
    ours = tuple(os.path.realpath(folder) + "/" for folder in (root, build, scratch))
    return {name for name in files if not os.path.realpath(name).startswith(ours)}


# ---- Which packages have it ------------------------------------------------------------------------------------------


def alternatives():
    """For each link in /etc/alternatives the files that it may lead to."""
    targets = {}
    for line in lines_of("update-alternatives", "--get-selections"):
        name = line.split()[0]
        for said in lines_of("update-alternatives", "--query", name):
            if said.startswith("Alternative: "):
                targets.setdefault(name, []).append(said.split(" ", 1)[1])
            elif said.startswith(" ") and name in targets: # the slaves of this alternative
                slave, path = said.split(None, 1)
                targets.setdefault(slave, []).append(path)
    return targets


def spellings(path):
    """The names by which a package may have the file: /lib became /usr/lib, but not in every package."""
    path = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    return [path, path[len("/usr"):] if path.startswith("/usr/") else f"/usr{path}"]


def behind(path, targets):
    """Where a link leads that no package has; in /etc/alternatives, to any of its targets."""
    if not os.path.islink(path):
        return []
    path = os.path.join(os.path.dirname(path), os.readlink(path))
    return targets.get(os.path.basename(path), []) if path.startswith("/etc/alternatives/") else [path]


def owners(paths):
    """{path: packages that have it}"""
    found = {}
    for line in lines_of("dpkg-query", "--search", *sorted({name for path in paths for name in spellings(path)})):
        packages, _, name = line.partition(": ")
        if not line.startswith("diversion by "):
            found.setdefault(name, set()).update(re.sub(r":\w+", "", package) for package in packages.split(", "))
    return {path: set().union(*(found.get(name, set()) for name in spellings(path))) for path in paths}


def owners_or_behind(paths):
    """The same, with the packages of what it leads to for a link that no package has, as of update-alternatives."""
    found = owners(paths)
    targets = alternatives()
    todo = {path: behind(path, targets) for path, packages in found.items() if not packages}
    if any(todo.values()):
        next_found = owners_or_behind({name for names_of in todo.values() for name in names_of})
        for path, leads in todo.items():
            found[path] = set().union(*(next_found[name] for name in leads))
    return found


# ---- Which packages are there ----------------------------------------------------------------------------------------


def installed():
    """{package: {field: text}} of what is installed here."""
    fields = ("Package", "Depends", "Pre-Depends", "Provides", "Essential", "Priority")
    form = "".join(f"${{{field}}}\t" for field in fields) + "${db:Status-Status}\n"
    rows = [line.split("\t") for line in lines_of("dpkg-query", "--show", "--showformat", form)]
    return {row[0]: dict(zip(fields, row)) for row in rows if row[-1] == "installed"}


def names(text):
    """The names in a list of packages, without versions and architectures."""
    return [re.split(r"[\s(:]", item.strip())[0] for item in text.split(",") if item.strip()]


def closure(first, packages):
    """These packages and what they depend on: of alternatives one of the first, else the first that is installed here."""
    providers = {}
    for package, fields in packages.items():
        for name in [package] + names(fields["Provides"]):
            providers.setdefault(name, []).append(package)
    there, todo = set(), list(first)
    while todo:
        package = todo.pop(0)
        if package in there or package not in packages:
            continue
        there.add(package)
        for choice in (packages[package]["Depends"] + "," + packages[package]["Pre-Depends"]).split(","):
            possible = [provider for name in names(choice.replace("|", ",")) for provider in providers.get(name, [])]
            if possible and not there.union(first).intersection(possible):
                todo.append(possible[0])
    return there


def minimal(packages):
    """What debootstrap --variant=minbase installs, and make."""
    return [name for name, fields in packages.items() if fields["Essential"] == "yes" or fields["Priority"] == "required"] + ["apt", "make"]


def main():
    root, build, scratch = sys.argv[1:]
    packages = installed()
    there = closure(sys.stdin.read().split() + minimal(packages), packages)
    found = owners_or_behind(used(root, build, scratch))
    missing = {}
    for path, having in sorted(found.items()):
        if not having & there:
            missing.setdefault(" or ".join(sorted(having)) or "no package", []).append(path)
    for package, paths in sorted(missing.items()):
        print(f"{package}: {' '.join(paths[:5])}" + (f" and {len(paths) - 5} more" if len(paths) > 5 else ""))
    print(f"{len(found)} files, {len(there)} packages", file=sys.stderr)


main()
