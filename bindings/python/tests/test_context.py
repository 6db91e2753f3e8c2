"""With how many threads calls work, and that nothing else in the process changes."""
import threading

import fast0tag
from fast0tag import _context
from fast0tag._library import library
from support import TestCase, python


def threads_now():
    """Of a call that is made here."""
    with _context.unwatched() as context:
        return library.f0t_context_threads(context)


class Contexts(TestCase):
    def test_a_block_has_its_threads_and_none_has_all(self):
        everything = fast0tag.Context().threads
        self.assertGreaterEqual(everything, 1)
        self.assertEqual(threads_now(), everything)
        with fast0tag.Context(threads=3) as context:
            self.assertEqual((context.threads, threads_now()), (3, 3))
            with fast0tag.Context(1):
                self.assertEqual(threads_now(), 1)
                with context:
                    self.assertEqual(threads_now(), 3)
                self.assertEqual(threads_now(), 1)
            self.assertEqual(threads_now(), 3)
        self.assertEqual(threads_now(), everything)
        self.assertEqual(repr(context), "Context(threads=3)")

    def test_an_exception_ends_the_block(self):
        before = threads_now()
        with self.assertRaises(KeyError), fast0tag.Context(5):
            raise KeyError
        self.assertEqual(threads_now(), before)

    def test_another_thread_is_not_in_the_block(self):
        before, seen = threads_now(), []

        def work():
            seen.append(threads_now())
            with fast0tag.Context(4):
                seen.append(threads_now())
        with fast0tag.Context(7):
            other = threading.Thread(target=work)
            other.start()
            other.join()
            self.assertEqual(threads_now(), 7)
        self.assertEqual(seen, [before, 4])

    def test_results_do_not_depend_on_it(self):
        with fast0tag.Context(1):
            one = self.train(method="net", epochs=3).tag(self.data.features)
        with fast0tag.Context(2):
            two = self.train(method="net", epochs=3).tag(self.data.features)
        self.assertEqual([[tag for tag, _ in row] for row in one],
                         [[tag for tag, _ in row] for row in two])

    def test_calls_in_a_callback_do_not_report_to_the_call_around_it(self):
        told = []

        def epoch(_):
            told.append("callback")
            fast0tag.Vectors.from_arrays(self.data.words, self.data.matrix)
            told.append("its end")
        self.train(method="net", epochs=2, epoch=epoch, progress=lambda p: told.append(p.stage))
        after = [told[i + 1] for i, what in enumerate(told) if what == "callback"]
        self.assertEqual(after, ["its end"] * 2)
        self.assertIn("learning", told)

    def test_one_thread_starts_no_other(self):
        done = python("""
import os, numpy, fast0tag
def threads(): return len(os.listdir("/proc/self/task"))
features = numpy.random.default_rng(1).normal(size=(400, 64))
vectors = {word: numpy.random.default_rng(i).normal(size=16) for i, word in enumerate("abcdef")}
tags = [["abcdef"[i % 6], "abcdef"[i % 5]] for i in range(400)]
before = threads()
with fast0tag.Context(threads=1):
    model = fast0tag.train(features, tags, vectors=vectors, epochs=2)
    model.tag(features)
assert threads() == before, (threads(), before)
""")
        self.assertEqual(done.returncode, 0, done.stderr)
