"""Catalogue: folders in, pictures out by words, tags and likeness."""
import pathlib
import threading
import unittest

import fast0tag
import support

COLOURS = ["red", "lime", "blue", "yellow"]


class CatalogueTest(support.TestCase):
    def make(self):
        """Pictures in four colours with their keyword, and some without; a catalogue with a model."""
        for m in range(24):
            support.draw(f"art/{m:02}.svg", f"hsl({m % 4 * 90 + m // 4},90%,50%)", COLOURS[m % 4])
        for m in range(4):
            support.draw(f"new/{m}.svg", f"hsl({m * 90 + 8},90%,50%)")
        rows = {colour: [float(i == n) for i in range(4)] for n, colour in enumerate(COLOURS)}
        rows["crimson"] = [0.9, 0.1, 0, 0]
        pathlib.Path("colours.txt").write_text("".join(
            f"{word} {' '.join(map(str, row))}\n" for word, row in rows.items()))
        fast0tag.import_dataset("photos", "art", "data", backbone="builtin")
        fast0tag.train("data", vectors="colours.txt", method="blend",
                       without=["direction", "tags"]).save("art.f0t")
        catalogue = fast0tag.Catalogue("c.f0t", "create")
        self.report = catalogue.index(["art", "new"], model="art.f0t")
        return catalogue

    def test_index_and_find(self):
        with self.make() as catalogue:
            self.assertEqual((self.report.found, self.report.added, len(catalogue)), (28, 28, 28))
            self.assertEqual(catalogue.index("art").unchanged, 24)
            self.assertTrue(catalogue.model.endswith("art.f0t"))
            self.assertIn("c.f0t", repr(catalogue))
            found = catalogue.find("red")
            self.assertEqual([p.tagged for p in found.pictures[:7]], [True] * 6 + [False])
            self.assertEqual(found.pictures[0].confidence, 1)
            self.assertTrue(found.pictures[6].path.endswith("new/0.svg"))
            self.assertEqual(found.words[0][:3], ("red", False, "learned"))
            self.assertEqual(found.words[0].tagged, 6)
            self.assertIsNone(found.pictures[0].taken)
            self.assertTrue(catalogue.thumbnail(found.pictures[0]).startswith(b"\xff\xd8"))
            self.assertEqual(len(catalogue.find("red", "-tag:red").pictures), 1)
            self.assertEqual(len(catalogue.find("is:untagged").pictures), 4)
            some = catalogue.find("tag:blue", k=2)
            self.assertEqual((len(some.pictures), some.more), (2, True))
            self.assertEqual(catalogue.find("red", "blue").pictures, [])
        self.assertTrue(catalogue.closed)

    def test_new_words_and_likeness(self):
        catalogue = self.make()
        with self.assertRaisesRegex(fast0tag.NotFoundError, "name the word vectors"):
            catalogue.find("crimson")
        first = catalogue.find("crimson", nearest=True, k=6, vectors="colours.txt")
        self.assertEqual(first.words[0].kind, "new")
        self.assertIsNone(first.words[0].cut)
        self.assertEqual(len(first.pictures), 6)
        catalogue.vectors = "colours.txt"
        self.assertTrue(catalogue.vectors.endswith("/colours.txt"))
        self.assertEqual(catalogue.find("crimson", nearest=True, k=6), first)
        self.threads_take_turns(catalogue)
        like = catalogue.find(like="new/2.svg", k=3).pictures
        self.assertEqual([int(pathlib.Path(p.path).stem) % 4 for p in like], [2, 2, 2])
        self.assertGreater(like[0].similarity, 0.9)
        self.assertIsNone(like[0].confidence)
        self.others_changes_are_seen(catalogue)

    def others_changes_are_seen(self, catalogue):
        """Pictures and a model that another process might bring."""
        before = catalogue.find("red")
        support.draw("new/more.svg", "hsl(6,90%,50%)")
        fast0tag.train("data", vectors="colours.txt", method="blend",
                       without=["direction", "tags", "votes"]).save("other.f0t")
        with fast0tag.Catalogue("c.f0t", "write") as other:
            self.assertEqual(other.index(["art", "new"], model="other.f0t").updated, 28)
            self.assertEqual(catalogue.find("red"), other.find("red"))
        self.assertTrue(catalogue.model.endswith("other.f0t"))
        self.assertNotEqual(catalogue.find("red"), before)

    def threads_take_turns(self, catalogue):
        found = []
        threads = [threading.Thread(target=lambda: found.append(catalogue.find("red")))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [catalogue.find("red")] * 4)

    def test_mistakes(self):
        with self.assertRaises(FileNotFoundError):
            fast0tag.Catalogue("none.f0t")
        with fast0tag.Catalogue("empty.f0t", "create") as catalogue:
            self.assertEqual(len(catalogue), 0)
            self.assertTrue(catalogue)
            with self.assertRaisesRegex(fast0tag.ArgumentError, "the query is empty"):
                catalogue.find()
            with self.assertRaisesRegex(fast0tag.ArgumentError, "a date is expected"):
                catalogue.find("before:now")
            for wrong in (0, 2, float("nan")):
                with self.assertRaisesRegex(fast0tag.ArgumentError, "between 0 and 1"):
                    catalogue.find("dog", confidence=wrong)
            with self.assertRaises(TypeError):
                catalogue.find(3)
            with self.assertRaises(fast0tag.NotFoundError):
                catalogue.find("dog")
        with self.assertRaises(fast0tag.ArgumentError):
            catalogue.find("dog")
        with fast0tag.Catalogue("empty.f0t") as reading:
            with self.assertRaises(fast0tag.Error):
                reading.index(".")


if __name__ == "__main__":
    unittest.main()
