"""The examples of README.md, run as they stand."""
import contextlib
import doctest
import io
import os
import shutil
import tempfile

import fast0tag
import support


def make_album():
    """A model of pictures in three colours, and two pictures to be tagged."""
    for m in range(12):
        support.draw(f"album/{m:02}.svg", ["red", "blue", "green"][m % 3],
                     ["car", "sea", "tree"][m % 3])
    fast0tag.import_dataset("photos", "album", "data", backbone="builtin")
    fast0tag.train("data", vectors="glove.txt", method="linear", lambda_=1,
                   ridge=0.1).save("album.f0t")
    support.draw("holiday/coast.svg", "blue")
    support.draw("holiday/wood.svg", "green")
    shutil.copy(support.ROOT / "tests/pictures/quarters.jpg", "holiday/photo.jpg")


class FirstExample(support.TestCase):
    """The block of the README of the sources."""

    def test_it_runs(self):
        text = (support.ROOT / "README.md").read_text(encoding="utf-8")
        code = text.split("```python\n")[1].split("```")[0]
        self.data.write_vectors("glove.txt")
        make_album()
        os.rename("album.f0t", "photos.f0t")
        os.rename("holiday/photo.jpg", "dog.jpg")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, {})
        self.assertEqual(set(printed.getvalue().split()), {"car", "sea", "tree"})


def load_tests(loader, tests, pattern):
    def start(test):
        data = support.Collection()
        test.before, test.folder = os.getcwd(), tempfile.mkdtemp()
        os.chdir(test.folder)
        data.write_vectors("glove.txt")
        make_album()
        test.globs.update(features=data.features, tags=data.tags)

    def end(test):
        os.chdir(test.before)
        shutil.rmtree(test.folder)

    tests.addTest(doctest.DocFileSuite(
        str(support.ROOT / "bindings/python/README.md"), module_relative=False, setUp=start,
        tearDown=end, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE))
    return tests
