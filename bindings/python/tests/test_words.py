"""Word vectors, vocabularies, and texts in every script."""
import os

import numpy as np

import fast0tag
from support import TestCase


class Words(TestCase):
    def test_a_file_of_vectors(self):
        with fast0tag.Vectors.open("vectors.txt") as vectors:
            self.assertEqual((len(vectors), vectors.dim), (10, 6))
            self.assertEqual(list(vectors), self.data.words)
            self.assertEqual(vectors.format, "text")
            self.assertEqual(vectors.dtype, "decimal")
            self.assertIn("vectors.txt", vectors.source)
            self.assertEqual(vectors.word(1), "dog")
            self.assertEqual(vectors.find("dog"), 1)
            self.assertIsNone(vectors.find("Dog"))
            self.assertIn("dog", vectors)
            self.assertNotIn("dogs", vectors)
            np.testing.assert_array_equal(vectors["dog"], self.data.matrix[1])
            np.testing.assert_array_equal(vectors.rows(2, 3), self.data.matrix[2:5])
            np.testing.assert_allclose(vectors.mean, self.data.matrix.mean(axis=0), atol=1e-6)
            with self.assertRaises(KeyError):
                vectors["wolf"]
            for index in (10, -1):
                with self.assertRaises(IndexError):
                    vectors.word(index)
            with self.assertRaises(fast0tag.ArgumentError):
                vectors.rows(8, 3)
            with self.assertRaises(IndexError):
                vectors.rows(0, 1 << 40)

    def test_a_path_that_is_no_unicode(self):
        path = os.fsdecode(b"v\xff.txt")
        os.rename("vectors.txt", path)
        with fast0tag.Vectors.open(path) as vectors:
            self.assertEqual(os.path.basename(vectors.source), path)

    def test_vectors_from_arrays_are_those_of_the_file(self):
        made = fast0tag.Vectors.from_arrays(self.data.words, self.data.matrix.astype(np.float64))
        with fast0tag.Vectors.open("vectors.txt") as read:
            self.assertEqual(made.fingerprint, read.fingerprint)
            self.assertEqual(list(made), list(read))
            np.testing.assert_array_equal(made.rows(0, 10), read.rows(0, 10))

    def test_converted_vectors_are_the_same_space(self):
        counts = fast0tag.convert_vectors("vectors.txt", "vectors.safetensors")
        self.assertEqual((counts.rows, counts.words, counts.cut), (10, 10, 0))
        with fast0tag.Vectors.open("vectors.txt") as a, \
                fast0tag.Vectors.open("vectors.safetensors") as b:
            self.assertEqual(a.fingerprint, b.fingerprint)
            self.assertEqual(b.format, "fast0tag vectors")
            np.testing.assert_array_equal(a.rows(0, 10), b.rows(0, 10))

    def test_joined_vectors_have_what_both_files_say(self):
        with open("more.txt", "w", encoding="utf-8") as more:
            more.write(f"{self.data.words[0]} 1 2\nunicorn 3 -4\n")
        counts = fast0tag.join_vectors(["vectors.txt", "more.txt"], "both", weights=[1, 0.5])
        self.assertEqual((counts.rows, counts.words, counts.duplicates), (12, 11, 1))
        rows = [self.data.matrix.astype(np.float64), np.array([[1.0, 2.0], [3.0, -4.0]])]
        a, b = [(m[0] - m.mean(0)) / np.linalg.norm(m[0] - m.mean(0)) for m in rows]
        with fast0tag.Vectors("both") as both:
            np.testing.assert_allclose(both[self.data.words[0]],
                                       np.concatenate([a, 0.5 * b]) / np.hypot(1, 0.5), atol=1e-6)
            self.assertFalse(both["unicorn"][:len(a)].any() or both.mean.any())
            self.assertEqual(both.source, "vectors.txt + 0.5 more.txt")
        fast0tag.join_vectors(["vectors.txt", "more.txt"], "some", tags=["unicorns"], f16=True)
        with fast0tag.Vectors("some") as some:
            self.assertEqual((list(some), some.dtype), (["unicorn"], "float16"))

    def test_translated_vectors_are_those_of_the_meanings(self):
        meaning = self.data.words[0]
        text = f"Wort\n{meaning}\n"
        with open("small.dict", "w", encoding="utf-8") as entries:
            entries.write(text)
        with open("small.index", "w", encoding="utf-8") as index:
            index.write(f"wort\tA\t{chr(ord('A') + len(text))}\n")
        counts = fast0tag.translate_vectors("vectors.txt", "other", "small.index")
        self.assertEqual(counts.words, 11)
        with fast0tag.Vectors("vectors.txt") as a, fast0tag.Vectors("other") as b:
            self.assertEqual(a.fingerprint, b.fingerprint)
            x, y = a[meaning] - a.mean, b["Wort"] - b.mean
            self.assertAlmostEqual(float(x @ y / np.linalg.norm(x) / np.linalg.norm(y)), 1, 5)
        with self.assertRaises(fast0tag.NotFoundError):
            fast0tag.translate_vectors("vectors.txt", "other", "zzz")

    def test_joins_that_do_not_fit_are_refused(self):
        for sources, weights in ((["vectors.txt"], None), (["vectors.txt"] * 2, [1]),
                                 (["vectors.txt"] * 2, [1, 0]), (["vectors.txt"] * 2, ["1", 1]),
                                 ("vectors.txt", None)):
            with self.subTest(sources, weights=weights), \
                    self.assertRaises((fast0tag.ArgumentError, TypeError)):
                fast0tag.join_vectors(sources, "both", weights=weights)
        self.assertFalse(os.path.exists("both"))

    def test_vectors_that_do_not_fit_are_refused(self):
        for words, matrix in ((["a"], np.zeros((2, 3))), (["a b"], np.ones((1, 3))),
                              ([""], np.ones((1, 3))), (["a"], np.ones(3))):
            with self.subTest(words), self.assertRaises(fast0tag.ArgumentError):
                fast0tag.Vectors.from_arrays(words, matrix)

    def test_no_vector_is_left_out_silently(self):
        with self.assertRaisesRegex(fast0tag.ArgumentError, "the word 'b' is there twice"):
            fast0tag.Vectors.from_arrays(["a", "b", "b"], np.ones((3, 2)))
        for wrong in (np.nan, np.inf, 1e300):
            with self.assertRaisesRegex(fast0tag.NumericError, "the vector of 'b' holds NaN"):
                fast0tag.Vectors.from_dict({"a": [1.0, 2.0], "b": [wrong, 0.0]})

    def test_neighbours(self):
        with fast0tag.Vectors.open("vectors.txt") as vectors:
            near = vectors.nearest("seas", 2)
            self.assertEqual(near[0][0], "lake")
            self.assertGreater(near[0][1], 0.9)
            self.assertEqual(vectors.nearest(vectors["sea"], 2)[0][0], "sea")
            self.assertEqual(len(vectors.nearest("sea", 50)), 9)
            with self.assertRaisesRegex(fast0tag.NotFoundError, "'laek' has no vector; did you mean"):
                vectors.nearest("laek")
            with self.assertRaisesRegex(fast0tag.ArgumentError, r"shape \(3,\)"):
                vectors.nearest([1, 2, 3])

    def test_a_vocabulary_says_what_became_of_each_tag(self):
        vocab = fast0tag.Vocab(["Dogs", "sea", "dog", "SEA", "laek", "sea lake"], "vectors.txt")
        self.assertEqual(list(vocab), ["Dogs", "sea", "dog", "sea lake"])
        self.assertEqual([e.match for e in vocab.entries],
                         ["singular", "exact", "exact", "same", "none", "parts"])
        self.assertEqual(vocab.entries[5].used, "sea + lake")
        self.assertEqual(vocab.missing[0].nearest, "lake")
        self.assertEqual((vocab[-1], vocab[:2], vocab.find("SEA")), ("sea lake", ["Dogs", "sea"], 1))
        np.testing.assert_allclose(np.linalg.norm(vocab.vectors, axis=1), 1, rtol=1e-6)
        with self.assertRaises(IndexError):
            vocab[4]
        joined = vocab + fast0tag.Vocab(["sea", "lorry"], "vectors.txt")
        self.assertEqual(list(joined), ["Dogs", "sea", "dog", "sea lake", "lorry"])
        with self.assertRaises(fast0tag.MismatchError):
            vocab.join(fast0tag.Vocab(["sea"], "vectors.txt", centred=True))

    def test_tags_of_a_file(self):
        with open("tags.txt", "w", encoding="utf-8") as file:
            file.write("  palm tree \n\nStraße\n")
        self.assertEqual(fast0tag.load_tags("tags.txt"), ["palm tree", "Straße"])

    def test_texts_of_every_script(self):
        words = ["straße", "日本", "naïve", "пёс", "🚲", "été"]
        random = np.random.default_rng(1)
        vectors = fast0tag.Vectors.from_arrays(words, random.normal(size=(6, 6)))
        self.assertEqual(list(vectors), words)
        tags = [[words[m % 6], words[(m + 1) % 6]] for m in range(60)]
        features = random.normal(size=(60, 4))
        model = fast0tag.train(features, tags, vectors=vectors, method="linear")
        model.save("модель.f0t")
        again = fast0tag.Model.load("модель.f0t")
        self.assertEqual(sorted(again.vocab), sorted(words))
        self.assertIn("STRASSE", again.vocab)
        self.assertTrue({tag for tag, _ in again.tag(features, k=6)[0]} == set(words))

    def test_texts_that_are_none_are_refused(self):
        for tag, kind in (("a\0b", fast0tag.ArgumentError), ("\udc80", fast0tag.ArgumentError),
                          (b"cat", TypeError), (3, TypeError)):
            with self.subTest(tag), self.assertRaises(kind):
                fast0tag.Vocab([tag], "vectors.txt")
        with self.assertRaisesRegex(TypeError, "a list of texts is expected, not the single 'cat'"):
            fast0tag.Vocab("cat", "vectors.txt")
        for tags in ([["a\tb"]], [["a\nb"]]):
            with self.subTest(tags), self.assertRaisesRegex(fast0tag.ArgumentError, "a tab or a line"):
                fast0tag.Dataset.from_arrays(None, tags)
        with self.assertRaises(fast0tag.ArgumentError):
            fast0tag.Model.load("a\0b")

    def test_wordnet(self):
        from support import ROOT
        counts = fast0tag.build_wordnet("w.safetensors", folder=ROOT / "tests/wordnet", dim=8)
        with fast0tag.Vectors.open("w.safetensors") as vectors:
            self.assertEqual((len(vectors), vectors.dim), (counts.words, 8))
