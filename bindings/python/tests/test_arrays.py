"""Features in every form that NumPy has, right and wrong."""
import numpy as np

import fast0tag
from support import TestCase


class Arrays(TestCase):
    def setUp(self):
        super().setUp()
        self.model = self.train()
        self.want = self.model.tag(self.data.features)

    def assert_same(self, features):
        got = self.model.tag(features)
        self.assertEqual(got, self.want)

    def test_tags_and_scores_are_lists_of_pairs(self):
        self.assertEqual(len(self.want), 60)
        self.assertEqual(len(self.want[0]), 5)
        tag, score = self.want[0][0]
        self.assertIs(type(tag), str)
        self.assertIs(type(score), float)
        self.assertGreaterEqual(score, self.want[0][1][1])
        self.assertIn(self.want[0][0][0], self.data.tags[0])

    def test_arrays_that_do_not_lie_in_row_order(self):
        features = self.data.features
        self.assert_same(np.asfortranarray(features))
        wide = np.zeros((120, 20), np.float32)
        wide[::2, 4:20:2] = features
        self.assert_same(wide[::2, 4:20:2])
        self.assert_same(np.ascontiguousarray(features[::-1])[::-1])
        self.assert_same(features.tolist())

    def test_other_types_of_numbers(self):
        features = self.data.features
        self.assert_same(features.astype(np.float64))
        self.assert_same(features.astype(">f4"))
        half = features.astype(np.float16)
        self.assertEqual(self.model.tag(half), self.model.tag(half.astype(np.float32)))
        whole = np.rint(features).astype(np.int64)
        self.assertEqual(self.model.tag(whole), self.model.tag(whole.astype(np.float32)))
        self.assertEqual(self.model.tag(whole > 0), self.model.tag((whole > 0).astype(np.float32)))

    def test_an_array_of_float32_is_not_copied(self):
        from fast0tag import _convert
        self.assertIs(_convert.as_floats(self.data.features), self.data.features)

    def test_a_matrix_on_disk(self):
        np.save("features.npy", self.data.features)
        self.assert_same(np.load("features.npy", mmap_mode="r"))

    def test_many_rows_go_in_blocks(self):
        many = np.tile(self.data.features, (150, 1))
        self.assert_same_tags(self.model.tag(many), self.want * 150)
        np.testing.assert_allclose(self.model.directions(many)[8940:],
                                   self.model.directions(many[8940:]), rtol=1e-5, atol=1e-6)

    def test_no_rows_and_more_tags_than_there_are(self):
        self.assertEqual(self.model.tag(np.empty((0, 8), np.float32)), [])
        self.assertEqual(len(self.model.tag(self.data.features[:1], k=100)[0]), 6)

    def test_wrong_shapes_are_named(self):
        for shape, text in (((8,), "2 dimensions, rows x numbers, not 1; for a single one, x[None]"),
                            ((2, 2, 2), "not 3"), ((), "not 0"),
                            ((5, 7), "have 7 numbers per image; 8 are expected")):
            with self.subTest(shape), self.assertRaises(fast0tag.ArgumentError) as caught:
                self.model.tag(np.zeros(shape, np.float32))
            self.assertIn(text, str(caught.exception))

    def test_wrong_types_are_named(self):
        for array in (np.zeros((2, 8), complex), np.full((2, 8), "1"), np.full((2, 8), None)):
            with self.subTest(array.dtype), self.assertRaisesRegex(fast0tag.ArgumentError,
                                                                   "real numbers are expected"):
                self.model.tag(array)

    def test_what_is_no_matrix_is_said(self):
        for features, kind, text in (([[1.0], [1.0, 2.0]], fast0tag.ArgumentError, "no matrix"),
                                     (None, fast0tag.ArgumentError, "real numbers are expected"),
                                     (np.ma.masked_less(np.ones((2, 8)) * np.arange(8), 1),
                                      fast0tag.ArgumentError, "are masked in places")):
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                self.model.tag(features)
        self.assert_same(np.ma.masked_array(self.data.features))

    def test_nan_and_infinity_are_refused_with_their_row(self):
        for wrong in (np.nan, np.inf, 1e300):
            features = self.data.features.astype(np.float64)
            features[7, 2] = wrong
            with self.subTest(wrong), self.assertRaisesRegex(fast0tag.NumericError, "row 7 "):
                self.model.tag(features)
        many = np.tile(self.data.features, (150, 1))
        many[8200, 0] = np.nan
        with self.assertRaisesRegex(fast0tag.NumericError, "row 8200 "):
            self.model.directions(many)

    def test_a_wrong_k(self):
        for k in (0, -1, 2.5):
            with self.subTest(k), self.assertRaises(fast0tag.ArgumentError):
                self.model.tag(self.data.features, k=k)

    def test_training_takes_the_same_forms(self):
        want = self.model.tag(self.data.features)
        for features in (self.data.features.astype(np.float64),
                         np.asfortranarray(self.data.features), self.data.features.tolist(),
                         self.data.features.astype(">f8")):
            model = fast0tag.train(features, self.data.tags, vectors="vectors.txt",
                                   method="linear")
            self.assertEqual(model.tag(self.data.features), want)
        half = self.data.features.astype(np.float16)
        a = fast0tag.train(half, self.data.tags, vectors="vectors.txt", method="linear")
        b = fast0tag.train(half.astype(np.float32), self.data.tags, vectors="vectors.txt",
                           method="linear")
        self.assertEqual(a.tag(half), b.tag(half))

    def test_training_refuses_nan_and_wrong_lengths(self):
        features = self.data.features.copy()
        features[3, 1] = np.nan
        with self.assertRaisesRegex(fast0tag.NumericError, r"row 3, column 1"):
            fast0tag.train(features, self.data.tags, vectors="vectors.txt")
        with self.assertRaisesRegex(fast0tag.ArgumentError, "features of 59 images, tags of 60"):
            fast0tag.train(features[1:], self.data.tags, vectors="vectors.txt")
        with self.assertRaisesRegex(TypeError, "features need tags"):
            fast0tag.train(features, vectors="vectors.txt")


class Sparse:
    """What scipy.sparse's matrices have, for machines without it."""

    def __init__(self, dense):
        self.shape = dense.shape
        rows, self.indices = np.nonzero(dense)
        self.indptr = np.searchsorted(rows, np.arange(len(dense) + 1))
        self.data = dense[rows, self.indices]

    def tocsr(self):
        return self

    copy = tocsr

    def sum_duplicates(self):
        pass

    eliminate_zeros = sum_duplicates


class Labels(TestCase):
    def setUp(self):
        super().setUp()
        self.names = ["tree", "cat", "dog", "sea", "sky", "car"]
        self.matrix = np.array([[name in tags for name in self.names] for tags in self.data.tags])

    def assert_same(self, labels):
        dataset = fast0tag.Dataset.from_arrays(self.data.features, labels, tag_names=self.names)
        self.assertEqual([sorted(tags) for tags in dataset.image_tags()],
                         [sorted(tags) for tags in self.data.tags])

    def test_matrices_of_every_form(self):
        for labels in (self.matrix, self.matrix.astype(int), self.matrix.astype(np.uint8),
                       self.matrix.astype(np.float32), np.asfortranarray(self.matrix),
                       self.matrix.tolist(), self.matrix.astype(int).tolist(),
                       Sparse(self.matrix.astype(int))):
            with self.subTest(type(labels)):
                self.assert_same(labels)

    def test_sparse_matrices(self):
        try:
            import scipy.sparse
        except ImportError:
            self.skipTest("there is no SciPy")
        for form in ("csr", "csc", "coo", "lil", "dok"):
            with self.subTest(form):
                self.assert_same(scipy.sparse.csr_matrix(self.matrix.astype(int)).asformat(form))
        self.assert_same(scipy.sparse.csr_array(self.matrix))
        zeros = scipy.sparse.csr_matrix(self.matrix.astype(float))
        zeros.data[0] = 0
        dataset = fast0tag.Dataset.from_arrays(None, zeros, tag_names=self.names)
        self.assertEqual(len(dataset.image_tags()[0]), 1)
        twice = scipy.sparse.coo_matrix(([1, 1], ([2, 2], [3, 3])), shape=(5, 6))
        with self.assertRaisesRegex(fast0tag.ArgumentError, "have 2 in row 2, column 3"):
            fast0tag.Dataset.from_arrays(None, twice, tag_names=self.names)
        self.assertEqual(twice.nnz, 2)
        with self.assertRaisesRegex(TypeError, r"x\.toarray\(\)"):
            self.train().tag(scipy.sparse.csr_matrix(self.data.features))

    def test_a_training_by_columns_keeps_their_order(self):
        model = fast0tag.train(self.data.features, self.matrix, tag_names=self.names,
                               vectors="vectors.txt", method="linear")
        self.assertEqual(list(model.vocab), self.names)
        hits = [tags[0] in truth for tags, truth in
                zip(model.predict(self.data.features, 1), self.data.tags)]
        self.assertGreater(np.mean(hits), 0.9)
        rows = fast0tag.evaluate(self.data.features, self.matrix, tag_names=self.names,
                                 vectors="vectors.txt", methods="linear", scenarios="zero-shot",
                                 unseen=2)
        self.assertGreater(rows[0]["miap"], 50)
        fast0tag.write_dataset("photos", self.data.features, self.matrix, tag_names=self.names)
        self.assertEqual([sorted(tags) for tags in fast0tag.Dataset("photos").image_tags()],
                         [sorted(tags) for tags in self.data.tags])

    def test_wrong_matrices_are_refused(self):
        bad = self.matrix.astype(float)
        bad[7, 2] = 0.5
        unknown = self.matrix.astype(float)
        unknown[7, 2] = np.nan
        for labels, names, kind, text in (
                (self.matrix, None, TypeError, "needs tag_names"),
                (self.matrix.tolist(), None, TypeError, "needs tag_names"),
                (Sparse(self.matrix), None, TypeError, "needs tag_names"),
                (self.matrix, self.names[:5], ValueError, r"shape \(60, 6\): \(images, 5\)"),
                (self.matrix[0], self.names, ValueError, r"shape \(6,\)"),
                (bad, self.names, ValueError, "have 0.5 in row 7, column 2: 0 or 1 is expected"),
                (Sparse(bad), self.names, ValueError, "have 0.5 in row 7, column 2"),
                (unknown, self.names, ValueError, "have nan in row 7"),
                (self.matrix - 2 * self.matrix.astype(int), self.names, ValueError, "have -1"),
                (self.matrix, ["cat"] * 6, ValueError, "'cat' twice"),
                (self.matrix, ["a", "b", "c", "d", "e", " "], ValueError, "is no tag"),
                (self.matrix, "abcdef", TypeError, "not the single 'abcdef'"),
                (self.data.tags, self.names, ValueError, "goes with a 0/1 matrix"),
                ("cat", None, TypeError, "a list of tags for each image"),
                (None, None, TypeError, "a list of tags for each image"),
                (5, None, TypeError, "a list of tags for each image"),
                ([1] * 60, None, TypeError, "a list of texts is expected, not 1"),
                (["cat"] * 60, None, TypeError, "not the single 'cat'"),
                ([[["cat"]]] * 60, None, TypeError, "must be a str, not list")):
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                fast0tag.Dataset.from_arrays(self.data.features, labels, tag_names=names)


class Dictionaries(TestCase):
    def test_vectors_of_a_dict(self):
        words = dict(zip(self.data.words, self.data.matrix))
        made = fast0tag.Vectors.from_dict(words)
        self.assertEqual(made.fingerprint, fast0tag.Vectors("vectors.txt").fingerprint)
        model = fast0tag.train(self.data.features, self.data.tags, vectors=words, method="linear")
        self.assertEqual(model.tag(self.data.features), self.train().tag(self.data.features))
        self.assertEqual(len(model.tag(self.data.features, words=["lake"], vectors=words)), 60)
        lists = {word: row.tolist() for word, row in words.items()}
        self.assertEqual(fast0tag.Vectors.from_dict(lists).fingerprint, made.fingerprint)
        for wrong in ({"cat": [1, 2], "dog": [1]}, {"cat": 1.0}, {"cat": "x"}, {}):
            with self.subTest(wrong), self.assertRaises(ValueError):
                fast0tag.Vectors.from_dict(wrong)
        with self.assertRaises(TypeError):
            fast0tag.Vectors.from_dict({3: [1.0, 2.0]})
