"""What goes wrong, and how it is said."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import numpy as np

import fast0tag
from support import ROOT, TestCase, draw, python


class Errors(TestCase):
    def test_a_missing_file_is_both_kinds_of_not_found(self):
        with self.assertRaises(fast0tag.NotFoundError) as caught:
            fast0tag.Model.load("none.f0t")
        self.assertIsInstance(caught.exception, FileNotFoundError)
        self.assertIsInstance(caught.exception, fast0tag.Error)
        self.assertIn("none.f0t", str(caught.exception))
        self.assertEqual(caught.exception.status, 6)

    def test_files_that_are_something_else(self):
        for load in (fast0tag.Model.load, fast0tag.Dataset.open):
            with self.subTest(load), self.assertRaisesRegex(fast0tag.FormatError, "vectors.txt"):
                load("vectors.txt")
        with open("cut.f0t", "wb") as file:
            self.train().save("model.f0t")
            with open("model.f0t", "rb") as model:
                file.write(model.read()[:-5])
        with self.assertRaisesRegex(fast0tag.FormatError, "cut.f0t"):
            fast0tag.Model.load("cut.f0t")
        os.mkdir("folder")
        with self.assertRaises(fast0tag.Error):
            fast0tag.Vectors.open("folder")

    def test_what_cannot_be_written(self):
        with self.assertRaises(fast0tag.Error) as caught:
            self.train().save("no/such/folder/model.f0t")
        self.assertIsInstance(caught.exception, OSError)

    def test_sources_that_make_no_sense(self):
        model = self.train()
        self.write_dataset()
        np.save("m.npy", self.data.features)
        np.save("narrow.npy", self.data.features[:, :3])
        os.mkdir("empty")
        for arguments, kind in ((([],), fast0tag.ArgumentError),
                                ((["photos", "m.npy"],), fast0tag.ArgumentError),
                                (("narrow.npy",), fast0tag.ArgumentError),
                                (("empty",), fast0tag.ArgumentError)):
            with self.subTest(arguments), self.assertRaises(kind):
                model.tag_files(*arguments)
        with self.assertRaisesRegex(fast0tag.ArgumentError, "a bare matrix has no parts"):
            model.tag_files("m.npy", part="test")
        with self.assertRaisesRegex(fast0tag.ArgumentError, "has features already"):
            model.tag_files("m.npy", backbone="builtin")
        with self.assertRaisesRegex(fast0tag.NotFoundError, "has no pictures"):
            model.tag_files("empty", backbone="builtin")
        with self.assertRaisesRegex(TypeError, "no option 'colour'"):
            fast0tag.import_dataset("csv", "a.csv", "b", colour="red")
        with self.assertRaises(fast0tag.Error):
            fast0tag.evaluate("photos", vectors="vectors.txt", methods="magic")
        for use in (fast0tag.train, fast0tag.evaluate):
            with self.subTest(use), self.assertRaisesRegex(TypeError, "a dataset has its own"):
                use("photos", vectors="vectors.txt", split=self.data.split)

    def test_no_value_reaches_ctypes_unchecked(self):
        model = self.train()
        for use in (lambda: fast0tag.Context("2"), lambda: fast0tag.Context(-1),
                    lambda: fast0tag.Context(1 << 40), lambda: fast0tag.Context(None),
                    lambda: model.check_vocab("cat"), lambda: model.vocab + ["cat"],
                    lambda: model.tag(self.data.features, words=3, vectors="vectors.txt"),
                    lambda: fast0tag.import_dataset("csv", "a", "b", seed=-1),
                    lambda: fast0tag.import_dataset("csv", "a", "b", replace="no"),
                    lambda: fast0tag.import_dataset("csv", "a", "b", delimiter=";;"),
                    lambda: fast0tag.import_dataset("csv", "a", "b", name=3),
                    lambda: fast0tag.import_dataset("csv", "a", "b", val="x"),
                    lambda: fast0tag.Dataset("photos", seed=-1),
                    lambda: fast0tag.Dataset("photos", val="much"),
                    lambda: fast0tag.convert_vectors("vectors.txt", "b", f16="no"),
                    lambda: fast0tag.write_dataset("b", None, [["a"]], replace=1),
                    lambda: fast0tag.Vocab(["cat"], "vectors.txt", centred="yes"),
                    lambda: fast0tag.Model(""), lambda: fast0tag.Vectors(b""),
                    lambda: fast0tag.Dataset(""), lambda: model.save(""),
                    lambda: self.train(backbone="vgg19"), lambda: self.train(backbone="[]"),
                    lambda: self.train(method="net", hidden=64),
                    lambda: self.train(method="net", hidden="64,32"),
                    lambda: fast0tag.evaluate(self.data.features, self.data.tags,
                                              vectors="vectors.txt", hidden=64),
                    lambda: fast0tag.Backbone("builtin", bf16=None)):
            with self.assertRaises((TypeError, ValueError)) as caught:
                use()
            self.assertNotIn("ctypes", type(caught.exception).__module__)
            self.assertNotIsInstance(caught.exception, FileNotFoundError)
        self.assertEqual(os.listdir("."), ["vectors.txt"])

    def test_paths_of_every_kind(self):
        vectors = pathlib.Path("vectors.txt")
        self.write_dataset(pathlib.Path("photos"))
        model = fast0tag.train(pathlib.Path("photos"), vectors=vectors, method="net", epochs=1,
                               checkpoint=pathlib.Path("c"))
        model.save(pathlib.Path("m.f0t"))
        for path in (pathlib.Path("m.f0t"), b"m.f0t"):
            self.assertEqual(fast0tag.Model(path).training, model.training)
        self.assertEqual(len(model.tag_files(pathlib.Path("photos"), words=["lake"],
                                             vectors=vectors)), 60)
        fast0tag.evaluate(pathlib.Path("photos"), vectors=vectors, methods="random", unseen=2, k=1,
                          scenarios="zero-shot", results=pathlib.Path("r"), html=pathlib.Path("h"))
        fast0tag.convert_vectors(vectors, pathlib.Path("v.safetensors"))
        pathlib.Path("tags.txt").write_text("cat\n", encoding="utf-8")
        self.assertEqual(fast0tag.load_tags(pathlib.Path("tags.txt")), ["cat"])
        draw("pictures/a.svg", "red", "car")
        draw("pictures/b.svg", "blue", "sea")
        self.assertEqual(len(fast0tag.find_pictures(pathlib.Path("pictures"))), 2)
        fast0tag.import_dataset("photos", [pathlib.Path("pictures")], pathlib.Path("d"),
                                backbone=pathlib.Path("builtin"))
        with fast0tag.Backbone(cache=pathlib.Path("cache")) as backbone:
            self.assertEqual(len(backbone.features([pathlib.Path("pictures/a.svg")])), 1)
        self.assertTrue(os.path.isdir("cache"))

    def test_a_dataset_is_written_whole_or_not_at_all(self):
        with self.assertRaises(fast0tag.Error):
            fast0tag.write_dataset("photos", self.data.features,
                                   [["a"]] * 59 + [["\x1b"]])
        self.assertEqual(os.listdir("."), ["vectors.txt"])
        self.write_dataset()
        with self.assertRaises(fast0tag.Error):
            self.write_dataset()
        self.write_dataset(replace=True)

    def test_an_exception_in_a_callback_ends_the_work(self):
        class Enough(Exception):
            pass

        def stop(_):
            raise Enough("of it")
        with self.assertRaisesRegex(Enough, "of it"):
            self.train(method="net", epoch=stop)
        self.assertEqual(len(self.train().tag(self.data.features)), 60)

    def test_an_interruption_ends_the_work(self):
        def interrupt(*_):
            raise KeyboardInterrupt
        before = signal.signal(signal.SIGALRM, interrupt)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        began = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with self.assertRaises(KeyboardInterrupt):
            self.train(method="net", epochs=1000000, patience=1000000)
        self.assertLess(time.monotonic() - began, 30)


class Library(TestCase):
    def fails(self, text, code="import fast0tag", **environment):
        done = python(code, **environment)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("ImportError: ", done.stderr)
        self.assertIn(text, done.stderr)

    def stand_in(self, source):
        """A library that is not ours, or of another time."""
        with open("other.c", "w", encoding="utf-8") as file:
            file.write(source)
        subprocess.run(["gcc", "-shared", "-fPIC", "other.c", "-o", "other.so"], check=True)
        return os.path.abspath("other.so")

    def test_a_library_that_is_not_there_is_said_with_what_to_do(self):
        if python("import ctypes; ctypes.CDLL('libfast0tag.so.0')").returncode == 0:
            self.skipTest("libfast0tag is installed here")
        self.fails("set FAST0TAG_LIBRARY to the path of libfast0tag.so", FAST0TAG_LIBRARY="",
                   PKG_CONFIG_LIBDIR="/nonexistent", PKG_CONFIG_PATH="")
        self.fails("FAST0TAG_LIBRARY is '/none.so'", FAST0TAG_LIBRARY="/none.so")

    def test_another_library_is_refused(self):
        path = self.stand_in("int f0t_other(void) { return 1; }")
        self.fails(f"{path} is not libfast0tag", FAST0TAG_LIBRARY=path)
        path = self.stand_in('const char *f0t_version(void) { return "9.8.7"; }')
        self.fails(f"is fast0tag 9.8.7; these bindings are for {fast0tag.__version__}",
                   FAST0TAG_LIBRARY=path)
        path = self.stand_in(f'const char *f0t_version(void) {{ return "{fast0tag.__version__}"; }}')
        self.fails(f"libfast0tag-tools.so.0 was not found beside {path}", FAST0TAG_LIBRARY=path)

    def test_a_library_that_pkg_config_knows_is_found(self):
        library = os.environ.get("FAST0TAG_LIBRARY")
        if not library:
            self.skipTest("FAST0TAG_LIBRARY is not set")
        with open("fast0tag.pc", "w", encoding="utf-8") as file:
            file.write(f"libdir={os.path.dirname(library)}\nName: fast0tag\nDescription: x\n"
                       "Version: 0\n")
        done = python("import fast0tag; print(fast0tag._lib._name)", FAST0TAG_LIBRARY="",
                      PKG_CONFIG_PATH=os.getcwd())
        self.assertEqual(done.stdout.strip(),
                         os.path.join(os.path.dirname(library), "libfast0tag.so.0"), done.stderr)


class Package(TestCase):
    def source(self):
        """A copy of the package's folder: setuptools writes into it."""
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        shutil.copytree(ROOT / "bindings/python", os.path.join(folder, "python"),
                        ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        return os.path.join(folder, "python")

    def test_pip_installs_it_without_a_network(self):
        done = subprocess.run(
            ["/usr/bin/python3", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
             "--no-build-isolation", "--disable-pip-version-check", "--target", "site",
             self.source()], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.exists("site/fast0tag/py.typed"))
        done = python("import fast0tag; print(fast0tag.__file__, fast0tag.library_version())",
                      PYTHONPATH=os.path.abspath("site"))
        self.assertEqual(done.stdout.split(),
                         [os.path.abspath("site/fast0tag/__init__.py"), fast0tag.__version__],
                         done.stderr)

    def test_types_are_right(self):
        if not shutil.which("mypy"):
            self.skipTest("there is no mypy")
        source = self.source()
        with open("user.py", "w", encoding="utf-8") as file:
            file.write("import fast0tag\nm = fast0tag.Model('x')\n"
                       "tags: list[list[tuple[str, float]]] = m.tag([[1.0]])\n"
                       "fast0tag.train([[1.0]], [['a']], vectors='v', method='linear')\n"
                       "fast0tag.evaluate('d', vectors={'a': [1.0]}, methods=['net', 'cca'])\n")
        with open("wrong.py", "w", encoding="utf-8") as file:
            file.write("import fast0tag\n"
                       "fast0tag.train('d', vectors='v', method='liner')\n"
                       "fast0tag.train('d', vectors='v', loss='hing')\n"
                       "fast0tag.evaluate('d', vectors='v', methods=['nett'])\n"
                       "fast0tag.Model('x').tag_files('d', part='tests')\n")
        done = subprocess.run(["mypy", "--config-file", f"{source}/pyproject.toml", "--cache-dir",
                               "cache", f"{source}/fast0tag", "user.py", "wrong.py"],
                              capture_output=True, text=True, check=False,
                              env={**os.environ, "MYPYPATH": source})
        wrong = done.stdout.splitlines()[:-1]
        self.assertEqual([line.split(" error:")[0] for line in wrong],
                         [f"wrong.py:{number}:" for number in (2, 3, 4, 5)], done.stdout)
