"""The examples of README.md, run as they stand."""
import doctest
import os
import shutil
import tempfile

import support


def load_tests(loader, tests, pattern):
    def start(test):
        data = support.Collection()
        test.before, test.folder = os.getcwd(), tempfile.mkdtemp()
        os.chdir(test.folder)
        data.write_vectors("glove.txt")
        test.globs.update(features=data.features, tags=data.tags)

    def end(test):
        os.chdir(test.before)
        shutil.rmtree(test.folder)

    tests.addTest(doctest.DocFileSuite(
        str(support.ROOT / "bindings/python/README.md"), module_relative=False, setUp=start,
        tearDown=end, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE))
    return tests
