"""The examples of README.md, run as they stand."""
import doctest
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
