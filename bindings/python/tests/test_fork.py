"""Processes of multiprocessing: those that are spawned work, those that are forked are told what they cannot use."""
import pathlib
import unittest

from support import TestCase, draw, python

FORK = """
import os, fast0tag
backbone = fast0tag.Backbone()
backbone.features(["a.svg"])
child = os.fork()
if child == 0:
    try:
        backbone.features(["a.svg"])
        os._exit(1)
    except fast0tag.Error as error:
        os._exit(0 if "forked" in str(error) else 2)
assert os.waitpid(child, 0)[1] == 0
backbone.features(["a.svg"])
"""

SPAWN = """
import multiprocessing, sys
sys.path.insert(0, ".")
import job
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert len(set(pool.map(job.work, ["a.svg"] * 2))) == 1
"""


class Fork(TestCase):
    def setUp(self):
        super().setUp()
        draw("a.svg", "red", "car")

    def test_a_forked_child_is_refused_and_harms_nobody(self):
        done = python(FORK)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_spawned_processes_work(self):
        pathlib.Path("job.py").write_text(
            "import fast0tag\ndef work(path):\n"
            "    return fast0tag.Backbone().features([path]).tobytes()\n", encoding="utf-8")
        done = python(SPAWN)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
